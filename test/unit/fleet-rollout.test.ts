/** One node after the other applies a new base, and none while another lacks what it announced before (S7). */
import { describe, expect } from 'vitest';
import { baseWord, rolloutRefusal, soundAnnouncements } from '../../src/core/fleet/rollout.ts';
import { instant } from '../../src/types/units.ts';
import type { BaseWord } from '../../src/types/wire/node-to-fleet.ts';
import { fc, test } from '../support/property.ts';
import { announcementOf, presenceOf } from './fleet-world.ts';

const soakMillis = 600_000;
/** How long a node asks before it applies. */
const waitMillis = 1500;
const good = [announcementOf(), announcementOf({ uplink: 'pccw' })];
const before = ['cmi_web4', 'pccw_web4'];

describe('what a node says of its base', () => {
  test('it is watched for the soak, and then forgotten', () => {
    const rollout = { at: instant(1000), before };
    const during = baseWord(rollout, null, good, soakMillis, instant(600_999));
    expect(during).toEqual({ word: { state: 'soaking', lost: [] }, rollout });
    const over = baseWord(rollout, null, good, soakMillis, instant(601_000));
    expect(over).toEqual({ word: { state: 'steady', lost: [] }, rollout: null });
  });

  test('what it announced before and lacks by a verdict or against the wish is named, for as long as it lacks it', () => {
    const rollout = { at: instant(0), before };
    const failed = [announcementOf({ health: 'failed', wish: 'withdraw', seen: 'absent' }), good[1]].flatMap(
      (one) => one ?? [],
    );
    const later = instant(10 * soakMillis);
    expect(baseWord(rollout, null, failed, soakMillis, later).word).toEqual({
      state: 'regressed',
      lost: ['cmi_web4'],
    });
    const closed = [announcementOf({ seen: 'session-down' })];
    expect(baseWord(rollout, null, closed, soakMillis, later).word.state).toBe('regressed');
    expect(baseWord(rollout, null, good, soakMillis, later).word.state).toBe('steady');
  });

  test('what a person or a window took away, and what was not there before, is no fault of the base', () => {
    const rollout = { at: instant(0), before };
    const byHand = [announcementOf({ wish: 'withdraw', seen: 'absent', reason: 'override' })];
    expect(baseWord(rollout, null, byHand, soakMillis, instant(1)).word.state).toBe('soaking');
    const other = [announcementOf({ uplink: 'hkbn', seen: 'session-down' })];
    expect(baseWord(rollout, null, other, soakMillis, instant(1)).word.state).toBe('soaking');
  });

  test('only what stands announced as it should can be lost', () => {
    const some = [...good, announcementOf({ uplink: 'hkbn', health: 'failed' })];
    expect(soundAnnouncements(some)).toEqual(before);
  });
});

describe('S7: a node must not apply', () => {
  const saying = (node: string, base: BaseWord) => presenceOf(node, { base });
  test.each([
    [[saying('hk2', { state: 'soaking', lost: [] })], 'hk2 has just applied'],
    [[saying('hk2', { state: 'regressed', lost: ['cmi_web4'] })], 'hk2 has lost cmi_web4'],
    [[saying('tk1', { state: 'applying', lost: [] })], 'tk1 is applying'],
    [[saying('hk1', { state: 'asking', lost: [] })], 'hk1 is applying'],
    [null, 'the fleet cannot be read'],
  ])('while %j', (others, sentence) => {
    expect(rolloutRefusal('hk3', others)).toContain(sentence);
  });

  test('and may where all others are steady, ask after it by name, or do not say', () => {
    const others = [
      presenceOf('hk1'),
      saying('hk2', { state: 'steady', lost: [] }),
      saying('sg1', { state: 'asking', lost: [] }),
    ];
    expect(rolloutRefusal('hk3', others)).toBe(null);
  });

  const asks = fc.array(fc.nat(4000), { minLength: 2, maxLength: 5 });
  test.prop([
    asks,
    fc.array(fc.integer({ min: 1, max: waitMillis / 2 - 1 }), { minLength: 25, maxLength: 25 }),
  ])('whoever asks when, never two apply while words arrive within half of the wait', (times, delays) => {
    expect(applying(times, delays).length).toBeLessThanOrEqual(1);
  });
});

/** Nodes by index that go on, of those that ask at these times; `delays`: from each to each, in ms. */
function applying(times: readonly number[], delays: readonly number[]): readonly number[] {
  const name = (at: number) => `n${at}`;
  const applied = new Map<number, boolean>();
  const order = times
    .map((at, node) => ({ node, checkAt: at + waitMillis }))
    .toSorted((a, b) => a.checkAt - b.checkAt || a.node - b.node);
  for (const { node, checkAt } of order) {
    const others = times.flatMap((askedAt, other) => {
      if (other === node) return [];
      const heardAt = checkAt - (delays[other * 5 + node] ?? 1);
      const decidedAt = askedAt + waitMillis;
      const state =
        heardAt < askedAt
          ? 'steady'
          : heardAt < decidedAt
            ? 'asking'
            : applied.get(other) === true
              ? 'applying'
              : 'steady';
      return [presenceOf(name(other), { base: { state, lost: [] } })];
    });
    applied.set(node, rolloutRefusal(name(node), others) === null);
  }
  return [...applied].filter(([, is]) => is).map(([node]) => node);
}
