/** What the daemon tells its history: each action with author, reason, evidence and the way back (S28). */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { Alarms } from '../../src/daemon/alarms.ts';
import { decisionEvent } from '../../src/daemon/history-words.ts';
import { Narrator } from '../../src/daemon/narrator.ts';
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import { instant } from '../../src/types/units.ts';
import { historyEntry } from '../../src/types/wire/history.ts';
import { type Fact, inputAt } from '../support/world.ts';

const at = '2026-11-30T01:00:00.000Z';
const healthy = { health: 'healthy' } as const;
const failed = { health: 'failed', since: 100, loss: 0.34 } as const;

function narrated(): { readonly narrator: Narrator; readonly told: HistoryEvent[] } {
  const told: HistoryEvent[] = [];
  return { narrator: new Narrator(pino({ level: 'silent' }), (event) => told.push(event)), told };
}

function stamped(event: HistoryEvent): unknown {
  return { ...event, id: 1, at, monotonicMillis: 1, bootId: 'b' };
}

function seenWith(up: Readonly<Record<string, boolean>>): BirdSeen {
  const protocol = (name: string, isUp: boolean): ProtocolSeen => ({
    name,
    proto: 'Static',
    state: isUp ? 'up' : 'down',
    sinceMillis: null,
    info: name.startsWith('bgp_') && isUp ? 'Established' : '',
    description: null,
    message: null,
    channels: [],
  });
  return {
    kind: 'seen',
    readAt: instant(0),
    version: '2.0.12',
    serverMillis: null,
    bootMillis: null,
    configuredMillis: null,
    running: true,
    protocols: new Map(Object.entries(up).map(([name, isUp]) => [name, protocol(name, isUp)])),
  };
}

function wishOf(seconds: number, facts: Readonly<Record<string, Fact>>) {
  const input = inputAt(seconds, facts);
  return { input, wish: decide(input, emptyDecideMemory).wish };
}

describe('a withdrawal', () => {
  test('is told from the verdict to the read-back', () => {
    const { narrator, told } = narrated();
    const before = wishOf(90, { cmi: healthy, pccw: healthy });
    const after = wishOf(110, { cmi: failed, pccw: healthy });
    const names = { bgp_cmi4: true, announce_cmi_web4: true, drain_cmi_web4: false };
    narrator.wish(before.wish, before.input.health, at, instant(90_000));
    narrator.readBack(before.wish, seenWith(names));
    narrator.wish(after.wish, after.input.health, at, instant(110_000));
    const step = {
      command: 'disable',
      protocol: 'announce_cmi_web4',
      message: 'causeway: loss 34 %',
      purpose: 'withdraw',
      group: 'web4',
    } as const;
    narrator.steps([{ step, effect: 'done', text: '' }], at);
    narrator.readBack(after.wish, seenWith({ ...names, announce_cmi_web4: false }));
    const about = told.filter((event) => event.kind !== 'egress');
    expect(about).toMatchObject([
      {
        kind: 'decision',
        uplink: 'cmi',
        service: 'web',
        from: 'announce',
        to: 'withdraw',
        author: 'causeway',
        reason: 'loss',
        guard: null,
        evidence: { health: 'failed', loss: 0.34 },
        undo: 'causeway force announce cmi --service web --family 4',
      },
      { kind: 'command', command: 'disable', protocol: 'announce_cmi_web4', effect: 'done' },
      { kind: 'read-back', from: 'exported', to: 'absent', agrees: true, author: 'causeway' },
    ]);
    for (const event of told) expect(historyEntry.safeParse(stamped(event)).success).toBe(true);
  });

  test('that a guard holds says which, and until when by wall time', () => {
    const { wish, input } = wishOf(110, { cmi: failed, pccw: failed });
    const held = wish.announcements.find((one) => one.held !== null);
    if (held === undefined) throw new Error('nothing is held');
    const until = { ...held, held: { guard: 'hold', text: 'held', until: instant(170_000) } } as const;
    const event = decisionEvent(held, until, input.health, { at, now: instant(110_000) });
    expect(event).toMatchObject({ guard: 'hold', until: '2026-11-30T01:01:00.000Z' });
    expect(decisionEvent(held, held, input.health, { at, now: instant(0) })).toMatchObject({ until: null });
  });

  test('by an operator has no command that overrules it: it is one', () => {
    const { wish, input } = wishOf(110, { cmi: healthy });
    const [one] = wish.announcements;
    if (one === undefined) throw new Error('no wish');
    const byHand = { ...one, state: 'withdraw', author: 'alice', reason: 'override' } as const;
    expect(decisionEvent(one, byHand, input.health, { at, now: instant(0) })).toMatchObject({
      author: 'alice',
      undo: null,
    });
  });
});

describe('what BIRD shows', () => {
  test('against the wish is told as nobody’s doing of ours; a BIRD that is away tells nothing', () => {
    const { narrator, told } = narrated();
    const { wish } = wishOf(90, { cmi: healthy });
    const names = { bgp_cmi4: true, announce_cmi_web4: true, drain_cmi_web4: false };
    const away = { kind: 'unreachable', readAt: instant(0), path: '/x', code: 'ENOENT', text: '' } as const;
    narrator.readBack(wish, seenWith(names));
    narrator.readBack(wish, away);
    narrator.readBack(wish, seenWith(names));
    expect(told).toEqual([]);
    narrator.readBack(wish, seenWith({ ...names, bgp_cmi4: false }));
    expect(told).toMatchObject([
      { kind: 'read-back', from: 'exported', to: 'session-down', agrees: false, author: 'bird' },
    ]);
  });
});

test('an alarm is told when it is raised and when it ends, and not in between', () => {
  const told: HistoryEvent[] = [];
  const alarms = new Alarms(pino({ level: 'silent' }), (event) => told.push(event));
  const alarm = { code: 'all-bad', text: 'web on cmi' } as const;
  alarms.set([alarm], at);
  alarms.set([alarm], at);
  alarms.set([], at);
  expect(told).toMatchObject([
    { kind: 'alarm', event: 'raised', reason: 'all-bad' },
    { kind: 'alarm', event: 'ended', reason: 'all-bad' },
  ]);
});

test('a file that lags is told once, and once when it holds the wish again', () => {
  const { narrator, told } = narrated();
  narrator.file({ kind: 'as-wished' });
  narrator.file({ kind: 'behind', text: 'not written within 50 ms' });
  narrator.file({ kind: 'behind', text: 'ENOSPC' });
  narrator.file({ kind: 'as-wished' });
  expect(told).toMatchObject([
    { kind: 'file', effect: 'behind' },
    { kind: 'file', effect: 'as-wished' },
  ]);
});
