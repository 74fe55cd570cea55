/** A planned drain is told to GeoDNS first (DESIGN §7.12); nothing else ever waits for DNS. */
import { describe, expect, test } from 'vitest';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { restoreDecideMemory } from '../../src/core/decide/restore-memory.ts';
import type { DnsFirst } from '../../src/types/told.ts';
import { instant, millis } from '../../src/types/units.ts';
import { failedAt, play, said, slowAt, type Story, well, window } from '../support/story.ts';
import { inputAt } from '../support/world.ts';

const dns = (toldAt: Readonly<Record<string, number>> = {}): { readonly dnsFirst: DnsFirst } => ({
  dnsFirst: {
    ttlMillis: millis(30_000),
    deadlineMillis: millis(60_000),
    toldAt: new Map(Object.entries(toldAt).map(([key, seconds]) => [key, instant(seconds * 1000)])),
  },
});
const facts = { cmi: well, pccw: well };
const drained = { overrides: [said('drain', { uplink: 'cmi' })] };
const acknowledged = { ...drained, ...dns({ cmi_web4: 2 }) };
const waits = { cmi: 'announce dns-first', pccw: 'announce' };
const follows = { cmi: 'drain', pccw: 'announce' };
const announced = { cmi: 'announce', pccw: 'announce' };
const begin = { at: 0, facts, more: dns(), wish: announced };

const stories: readonly Story[] = [
  {
    name: 'an operator’s drain waits until GeoDNS has acknowledged it and its answers have run out',
    moments: [
      begin,
      { at: 1, facts, more: { ...drained, ...dns() }, wish: waits },
      { at: 2, facts, more: acknowledged, wish: waits },
      { at: 31, facts, more: acknowledged, wish: waits },
      { at: 32, facts, more: acknowledged, wish: follows },
      { at: 33, facts, more: { ...drained, ...dns() }, wish: follows },
    ],
  },
  {
    name: 'a GeoDNS that is away delays it to the deadline and no longer',
    always: dns(),
    moments: [
      begin,
      { at: 1, facts, more: drained, wish: waits },
      { at: 60, facts, more: drained, wish: waits },
      { at: 61, facts, more: drained, wish: follows },
    ],
  },
  {
    name: 'an acknowledgement shortly before the deadline does not move it',
    moments: [
      begin,
      { at: 1, facts, more: { ...drained, ...dns() }, wish: waits },
      { at: 55, facts, more: { ...drained, ...dns({ cmi_web4: 55 }) }, wish: waits },
      { at: 61, facts, more: { ...drained, ...dns({ cmi_web4: 55 }) }, wish: follows },
    ],
  },
  {
    name: 'a window with state drain waits too',
    always: dns(),
    moments: [
      begin,
      { at: 1, facts, more: { overrides: [window('drain', 'cmi')] }, wish: waits },
      { at: 61, facts, more: { overrides: [window('drain', 'cmi')] }, wish: follows },
    ],
  },
  {
    name: 'the drain of the node waits on every uplink',
    always: dns(),
    moments: [
      begin,
      {
        at: 1,
        facts,
        more: { overrides: [said('drain', {})] },
        wish: { cmi: 'announce dns-first', pccw: 'announce dns-first' },
      },
      { at: 61, facts, more: { overrides: [said('drain', {})] }, wish: { cmi: 'drain', pccw: 'drain' } },
    ],
  },
  {
    name: 'an uplink that fails in the meantime is drained at once',
    always: dns(),
    moments: [
      begin,
      { at: 1, facts, more: drained, wish: waits },
      { at: 2, facts: { ...facts, cmi: failedAt(2) }, more: drained, wish: follows },
    ],
  },
  {
    name: 'one that is slow too',
    always: dns(),
    moments: [
      begin,
      { at: 1, facts, more: drained, wish: waits },
      { at: 2, facts: { ...facts, cmi: slowAt(2) }, more: drained, wish: follows },
    ],
  },
  {
    name: 'a withdrawal never waits: not a verdict’s, not an operator’s',
    always: dns(),
    moments: [
      begin,
      { at: 1, facts: { ...facts, cmi: failedAt(1) }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      {
        at: 2,
        facts,
        more: { overrides: [said('withdraw', { uplink: 'pccw' })] },
        wish: { cmi: 'announce', pccw: 'withdraw' },
      },
    ],
  },
  {
    name: 'a hand in BIRD has drained it already',
    always: dns(),
    moments: [
      begin,
      {
        at: 1,
        facts,
        more: { overrides: [said('drain', { uplink: 'cmi' }, { author: 'birdc' })] },
        wish: follows,
      },
    ],
  },
  {
    name: 'a drain of what is withdrawn announces more, so it does not wait',
    always: dns(),
    moments: [
      begin,
      {
        at: 1,
        facts,
        more: { overrides: [said('withdraw', { uplink: 'cmi' })] },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      { at: 2, facts, more: drained, wish: follows },
    ],
  },
  {
    name: 'without GeoDNS nothing waits',
    moments: [
      { at: 0, facts, wish: announced },
      { at: 1, facts, more: drained, wish: follows },
    ],
  },
  {
    name: 'a drain that is taken back and given again waits again',
    always: dns(),
    moments: [
      begin,
      { at: 1, facts, more: drained, wish: waits },
      { at: 30, facts, wish: announced },
      { at: 50, facts, more: drained, wish: waits },
      { at: 109, facts, more: drained, wish: waits },
      { at: 110, facts, more: drained, wish: follows },
    ],
  },
];

describe('a planned drain', () => {
  test.each(stories)('$name', ({ moments, always }) => play(moments, always));

  test('goes on waiting from where it stood after a restart, and the carrier counts nothing meanwhile', () => {
    const at = (seconds: number, more: Partial<DecideInput>): DecideInput => inputAt(seconds, facts, more);
    const first = decide(at(0, dns()), emptyDecideMemory);
    const held = decide(at(1, { ...drained, ...dns() }), first.memory);
    expect(held.memory.penalties).toEqual({});
    const read = restoreDecideMemory(JSON.parse(JSON.stringify(held.memory)));
    const later = decide(at(60, { ...drained, ...dns() }), read).wish.announcements[0];
    const over = decide(at(61, { ...drained, ...dns() }), read).wish.announcements[0];
    expect([later?.held?.guard, later?.author, over?.state]).toEqual(['dns-first', 'ops', 'drain']);
  });

  test('says what it waits for', () => {
    const first = decide(inputAt(0, facts, dns()), emptyDecideMemory);
    const text = (more: Partial<DecideInput>): string | undefined =>
      decide(inputAt(1, facts, { ...drained, ...more }), first.memory).wish.announcements[0]?.text;
    expect(text(dns())).toBe('GeoDNS is told first; drain by ops: ticket 42');
    expect(text(dns({ cmi_web4: 1 }))).toBe(
      'GeoDNS knows, BGP follows when its answers have run out; drain by ops: ticket 42',
    );
  });
});
