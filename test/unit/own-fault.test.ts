/** What other nodes see of the targets that fail here: told apart from what all nodes share (DESIGN 7.4). */
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { wantsOf } from '../../src/core/fleet/wants.ts';
import type { FleetWord } from '../../src/types/fleet-word.ts';
import { type Fact, inputAt } from '../support/world.ts';

const failedAt = (since: number, loss: number): Fact => ({ health: 'failed', since, loss });
const facts = { cmi: failedAt(10, 0.9), pccw: failedAt(11, 0.8) };
const refused: FleetWord = { consent: 'refused', announcingNodes: 4, ownFault: true, text: 'not asked' };

/** `at` in seconds; both uplinks have failed by 11, and the wait is 7 s. */
function decided(at: number, word: FleetWord) {
  const input = inputAt(at, facts, { fleet: new Map([['web4', word]]) });
  const decision = decide(input, emptyDecideMemory);
  const words = decision.wish.announcements.map(
    ({ uplink, state, held }) => `${uplink} ${state}${held === null ? '' : ` ${held.guard}`}`,
  );
  return { input, decision, words };
}

describe('all uplinks of a node fail together, and other nodes see the targets well', () => {
  test('nothing moves before the others have had the time to fail as well', () => {
    expect(decided(12, refused).words).toEqual(['cmi announce all-bad', 'pccw announce all-bad']);
    expect(decided(17.9, refused).words).toEqual(['cmi announce all-bad', 'pccw announce all-bad']);
  });

  test('after that time they are judged one by one, and the last asks for consent', () => {
    const { input, decision, words } = decided(18, refused);
    expect(words).toEqual(['cmi withdraw', 'pccw announce last-resort']);
    expect(wantsOf(input, decision.memory, decision.wish, new Set())).toEqual([
      { kind: 'leave', group: { service: 'web', family: 4 }, cause: 'link' },
    ]);
  });

  test('with consent none is left', () => {
    expect(decided(18, { ...refused, consent: 'given' }).words).toEqual(['cmi withdraw', 'pccw withdraw']);
  });

  test('without such a word they stay for good', () => {
    const { ownFault: _, ...shared } = refused;
    expect(decided(1000, shared).words).toEqual(['cmi announce all-bad', 'pccw announce all-bad']);
  });
});
