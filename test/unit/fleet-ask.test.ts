/** What is asked, when it may be, and what the words then say to decide. */
import { describe, expect, test } from 'vitest';
import {
  answered,
  type Ask,
  asking,
  asksOf,
  dropUnwanted,
  readMaster,
  spendTokens,
  type Want,
} from '../../src/core/fleet/ask.ts';
import { hearBeats, hearPresence } from '../../src/core/fleet/hear.ts';
import { linkFailed, linkGood, linkState, quarantineMillis, tokenHolds } from '../../src/core/fleet/link.ts';
import { emptyFleetMemory, type FleetMemory } from '../../src/core/fleet/memory.ts';
import { compareBooks, nextVersion } from '../../src/core/fleet/orders.ts';
import { wantsOf } from '../../src/core/fleet/wants.ts';
import { fleetWords } from '../../src/core/fleet/words.ts';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { instant } from '../../src/types/units.ts';
import type { Presence } from '../../src/types/wire/node-to-fleet.ts';
import { inputAt } from '../support/world.ts';
import { announcementOf, beatOf, fleetRules, presenceOf, targetOf } from './fleet-world.ts';

const group = { service: 'web', family: 4 } as const;
const leave: Want = { kind: 'leave', group, cause: 'link' };
const self = presenceOf('hk1', { announcements: [announcementOf({ health: 'failed' })] });

/** A memory that has read master m0 and these nodes since second 0, each half second. */
function readUntil(
  seconds: number,
  others: readonly Presence[] = [presenceOf('hk2')],
  master = 'm0',
): FleetMemory {
  let { nodes, link } = emptyFleetMemory;
  for (let half = 0; half <= seconds * 2; half += 1) {
    const now = instant(half * 500);
    const beats = others.map(({ node }) => beatOf(node, half + 1));
    nodes = hearBeats(nodes, beats, fleetRules, now);
    for (const one of others) nodes = hearPresence(nodes, one);
    link = linkGood(link, master, now);
  }
  return { ...emptyFleetMemory, nodes, link };
}

function asksAt(
  memory: FleetMemory,
  seconds: number,
  wants: readonly Want[] = [leave],
  me = self,
): readonly Ask[] {
  return asksOf(memory, wants, me, fleetRules, instant(seconds * 1000));
}

function wordAt(memory: FleetMemory, seconds: number, me: Presence | null = self) {
  return fleetWords(memory, [group], me, fleetRules, instant(seconds * 1000)).get('web4');
}

describe('consent', () => {
  test('is asked with those that announce for witnesses, once a master was met for long enough', () => {
    const waitSeconds = quarantineMillis(fleetRules) / 1000;
    expect(asksAt(readUntil(15), 15)).toEqual([]);
    expect(wordAt(readUntil(15), 15)).toMatchObject({ consent: 'silent', announcingNodes: 1 });
    expect(asksAt(readUntil(16), waitSeconds + 0.5)).toEqual([
      {
        kind: 'leave',
        group: 'web4',
        witnesses: [{ node: 'hk2', epoch: 100, content: 1, inSite: true }],
        need: 1,
        needInSite: 0,
        strong: false,
      },
    ]);
  });

  test('waits again after any other master, and after none', () => {
    const memory = readUntil(16);
    const link = linkGood(memory.link, 'm1', instant(16_500));
    expect(linkState(link, fleetRules, instant(16_500)).kind).toBe('settling');
    expect(linkState(link, fleetRules, instant(21_500))).toMatchObject({ kind: 'silent' });
    const failed = linkFailed(memory.link, 'timeout');
    expect(linkState(failed, fleetRules, instant(16_500))).toEqual({ kind: 'silent', why: 'timeout' });
    const same = linkGood(failed, 'm0', instant(17_000));
    expect(same.masterSince).toBe(0);
    expect(linkState(same, fleetRules, instant(17_000)).kind).toBe('settling');
  });

  test('is given for a token’s life, by the time of the question, and only by the master that gave it', () => {
    const memory = readUntil(16);
    const ask: Ask = { kind: 'leave', group: 'web4', witnesses: [], need: 1, needInSite: 0, strong: false };
    const given = answered(
      asking(memory, ask),
      ask,
      { kind: 'given' },
      { sentAt: instant(16_000), master: 'm0' },
    );
    expect(wordAt(given, 16.1)).toMatchObject({ consent: 'given', announcingNodes: 1 });
    expect(tokenHolds(given, 'web4', fleetRules, instant(24_900))).toBe(true);
    expect(tokenHolds(given, 'web4', fleetRules, instant(25_000))).toBe(false);
    const spent = spendTokens(given, ['web4']);
    expect(tokenHolds(spent, 'web4', fleetRules, instant(16_100))).toBe(false);
    expect(wordAt(spent, 16.1)).toMatchObject({
      consent: 'refused',
      text: expect.stringMatching(/is out with consent/),
    });
    expect(spendTokens(given, ['web6'])).toBe(given);
    const moved = { ...given, link: linkGood(given.link, 'm1', instant(16_500)) };
    expect(tokenHolds(moved, 'web4', fleetRules, instant(16_500))).toBe(false);
    expect(dropUnwanted(given, [leave]).tokens.size).toBe(1);
    expect(dropUnwanted(given, []).tokens.size).toBe(0);
    expect(asksAt(given, 16.2, [])).toEqual([{ kind: 'release', group: 'web4' }]);
    const refused = answered(
      given,
      ask,
      { kind: 'few', count: 0, need: 1 },
      { sentAt: instant(16_500), master: 'm0' },
    );
    expect(wordAt(refused, 16.5)).toMatchObject({
      consent: 'refused',
      text: '0 other nodes announce it for sure, 1 must remain',
    });
  });

  test('is not asked where the same targets fail elsewhere; and strong evidence says so', () => {
    const targets = [targetOf('198.51.100.10', 'failed')];
    const me = { ...self, targets };
    const shared = readUntil(16, [presenceOf('hk2', { targets })]);
    expect(asksAt(shared, 16.2, [leave], me)).toEqual([]);
    expect(wordAt(shared, 16.2, me)?.text).toMatch(/the same targets fail on other nodes/);
    const well = readUntil(16, [presenceOf('hk2', { targets: [targetOf('198.51.100.10', 'healthy')] })]);
    expect(asksAt(well, 16.2, [leave], me)).toMatchObject([{ kind: 'leave', strong: true }]);
    expect(wordAt(well, 16.2, me)).toMatchObject({ ownFault: true });
  });

  test('is not asked under a name that another daemon speaks under', () => {
    const memory = readUntil(16);
    const doubled = { ...memory, link: { ...memory.link, namesakeAt: instant(15_000) } };
    expect(asksAt(doubled, 16.2)).toEqual([]);
    expect(wordAt(doubled, 16.2)?.text).toMatch(/another daemon/);
  });

  test('a master that was not met before is given back every token that is not needed, whatever another one was told', () => {
    const memory = readUntil(16);
    expect(asksAt(memory, 16, [])).toEqual([]);
    const met = readMaster(memory, 'm1', [group], instant(16_500));
    expect(asksAt(met, 16.5, [])).toEqual([{ kind: 'release', group: 'web4' }]);
    const told = answered(
      met,
      { kind: 'release', group: 'web4' },
      { kind: 'released' },
      { sentAt: instant(16_500), master: 'm1' },
    );
    expect(asksAt(told, 16.6, [])).toEqual([]);
    expect(readMaster(told, 'm1', [group], instant(17_000)).maybeHeld.size).toBe(0);
  });

  test('a node that is out says so at once, also to a new master', () => {
    expect(asksAt(readUntil(1), 1, [{ kind: 'out', group }])).toEqual([{ kind: 'hold', group: 'web4' }]);
  });
});

describe('what is wanted of the fleet', () => {
  const fleetWith = (consent: 'given' | 'refused') =>
    new Map([['web4', { consent, announcingNodes: 1, text: '' }]]);
  const failedApart = { cmi: { health: 'failed', since: 0 }, pccw: { health: 'failed', since: 60 } } as const;

  test('is to leave, where guard 3 holds the last uplink and consent would change that', () => {
    const asked = inputAt(100, failedApart, { fleet: fleetWith('refused') });
    const { wish, memory } = decide(asked, emptyDecideMemory);
    expect(wantsOf(asked, memory, wish, new Set())).toEqual([leave]);
  });

  test('is nothing, where another guard would hold it anyway', () => {
    const asked = inputAt(
      61,
      { cmi: { health: 'failed', since: 59 }, pccw: { health: 'failed', since: 60 } },
      { fleet: fleetWith('refused') },
    );
    const { wish, memory } = decide(asked, emptyDecideMemory);
    expect(wish.announcements.map(({ held }) => held?.guard)).toEqual(['all-bad', 'all-bad']);
    expect(wantsOf(asked, memory, wish, new Set())).toEqual([]);
  });

  test('is to stay out, once it has left with consent', () => {
    const asked = inputAt(100, failedApart, { fleet: fleetWith('given') });
    const { wish, memory } = decide(asked, emptyDecideMemory);
    expect(wish.announcements.map(({ state }) => state)).toEqual(['withdraw', 'withdraw']);
    expect(wantsOf(asked, memory, wish, new Set())).toEqual([{ kind: 'out', group }]);
  });

  test('is to leave, for a service that is not ready and drained already', () => {
    const readiness = new Map([['web', { state: 'not-ready', since: instant(0), text: 'dead' }]] as const);
    const facts = { cmi: { health: 'healthy' } } as const;
    const asked = inputAt(100, facts, { fleet: fleetWith('refused'), readiness });
    const drained = decide(asked, emptyDecideMemory);
    const again = decide(asked, drained.memory);
    expect(wantsOf(asked, again.memory, again.wish, new Set())).toEqual([
      { kind: 'leave', group, cause: 'not-ready' },
    ]);
  });
});

describe('all uplinks that failed together', () => {
  const together = { cmi: { health: 'failed', since: 59 }, pccw: { health: 'failed', since: 60 } } as const;
  const statesWith = (ownFault: boolean, consent: 'given' | 'refused') => {
    const word = { consent, announcingNodes: 1, text: '', ...(ownFault ? { ownFault } : {}) };
    const { wish } = decide(inputAt(100, together, { fleet: new Map([['web4', word]]) }), emptyDecideMemory);
    return wish.announcements.map(({ state }) => state);
  };

  test('stay, consent or not, while nothing tells them apart', () => {
    expect(statesWith(false, 'given')).toEqual(['announce', 'announce']);
  });
  test('are judged one by one where another node sees the targets well: the last stays without consent', () => {
    expect(statesWith(true, 'refused')).toEqual(['announce', 'withdraw']);
    expect(statesWith(true, 'given')).toEqual(['withdraw', 'withdraw']);
  });
});

describe('orders for the whole fleet', () => {
  const order = (version: number, text = 'x') => ({ version, text });
  test('go to whoever has an older one, and a Redis that was wiped is told all of them', () => {
    const known = new Map([
      ['freeze', order(2)],
      ['override a', order(1)],
    ]);
    const stored = new Map([
      ['freeze', order(3)],
      ['override b', order(1)],
    ]);
    const { taken, told } = compareBooks(known, stored);
    expect([...taken.keys()]).toEqual(['freeze', 'override b']);
    expect([...told.keys()]).toEqual(['override a']);
    expect([...compareBooks(known, new Map()).told.keys()]).toEqual(['freeze', 'override a']);
    expect(nextVersion(known, 'freeze')).toBe(3);
  });
  test('of equal versions are the same on both sides', () => {
    const [one, other] = [new Map([['freeze', order(1, 'a')]]), new Map([['freeze', order(1, 'b')]])];
    expect(compareBooks(one, other).taken.size).toBe(1);
    expect(compareBooks(other, one).taken.size).toBe(0);
    expect(compareBooks(other, one).told.size).toBe(1);
  });
});
