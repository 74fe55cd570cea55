/** The ladder of src/core/decide, rung by rung: what each guard holds and what it lets through. */
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import type { Override } from '../../src/types/override.ts';
import { type Moment, play } from '../support/story.ts';
import { type Fact, guards, inputAt } from '../support/world.ts';

const healthy: Fact = { health: 'healthy' };
const unknown: Fact = { health: 'unknown', reason: 'first-window' };
const failedAt = (since: number, more: Partial<Fact> = {}): Fact => ({ health: 'failed', since, ...more });
const slowAt = (since: number, loss = 0): Fact => ({ health: 'degraded', since, loss });

/** Two flaps are no matter for this one. */
const forgiving = { guards: { ...guards, flapBudget: 'rfc7196' as const } };

const stories: readonly { readonly name: string; readonly moments: readonly Moment[] }[] = [
  {
    name: 'what is unknown stays as it stands',
    moments: [{ at: 1, facts: { cmi: unknown, pccw: unknown }, wish: { cmi: 'announce', pccw: 'announce' } }],
  },
  {
    name: 'a failed uplink leaves at once while another one is good',
    moments: [
      { at: 1, facts: { cmi: healthy, pccw: healthy }, wish: { cmi: 'announce', pccw: 'announce' } },
      { at: 10, facts: { cmi: failedAt(10), pccw: healthy }, wish: { cmi: 'withdraw', pccw: 'announce' } },
    ],
  },
  {
    name: 'a withdrawn uplink that becomes unknown stays withdrawn',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: healthy }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      { at: 20, facts: { cmi: unknown, pccw: healthy }, wish: { cmi: 'withdraw', pccw: 'announce' } },
    ],
  },
  {
    name: 'a recovered uplink is held for recovery.hold and then returns once',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), pccw: healthy }, wish: { cmi: 'withdraw', pccw: 'announce' } },
      {
        at: 100,
        facts: { cmi: { health: 'healthy', since: 100 }, pccw: healthy },
        wish: { cmi: 'withdraw hold', pccw: 'announce' },
      },
      {
        at: 159,
        facts: { cmi: { health: 'healthy', since: 100 }, pccw: healthy },
        wish: { cmi: 'withdraw hold', pccw: 'announce' },
      },
      {
        at: 160,
        facts: { cmi: { health: 'healthy', since: 100 }, pccw: healthy },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'the hold doubles with a flap',
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: healthy },
        more: forgiving,
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      {
        at: 160,
        facts: { cmi: { health: 'healthy', since: 100 }, pccw: healthy },
        more: forgiving,
        wish: { cmi: 'announce', pccw: 'announce' },
      },
      {
        at: 200,
        facts: { cmi: failedAt(200), pccw: healthy },
        more: forgiving,
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      {
        at: 361,
        facts: { cmi: { health: 'healthy', since: 300 }, pccw: healthy },
        more: forgiving,
        wish: { cmi: 'withdraw hold', pccw: 'announce' },
      },
      {
        at: 420,
        facts: { cmi: { health: 'healthy', since: 300 }, pccw: healthy },
        more: forgiving,
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'a slow uplink is drained and returns after the hold',
    moments: [
      { at: 10, facts: { cmi: slowAt(10), pccw: healthy }, wish: { cmi: 'drain', pccw: 'announce' } },
      {
        at: 100,
        facts: { cmi: { health: 'healthy', since: 100 }, pccw: healthy },
        wish: { cmi: 'drain hold', pccw: 'announce' },
      },
      {
        at: 160,
        facts: { cmi: { health: 'healthy', since: 100 }, pccw: healthy },
        wish: { cmi: 'announce', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'a drained uplink that fails is withdrawn at once',
    moments: [
      { at: 10, facts: { cmi: slowAt(10), pccw: healthy }, wish: { cmi: 'drain', pccw: 'announce' } },
      { at: 12, facts: { cmi: failedAt(12), pccw: healthy }, wish: { cmi: 'withdraw', pccw: 'announce' } },
    ],
  },
  {
    name: 'the first to fail waits while the others are in their bad seconds, and all stay when all failed together',
    moments: [
      {
        at: 10,
        facts: {
          cmi: failedAt(10),
          pccw: { health: 'healthy', inBadSeconds: true },
          hkbn: { health: 'healthy', inBadSeconds: true },
        },
        wish: { cmi: 'announce all-bad', pccw: 'announce', hkbn: 'announce' },
      },
      {
        at: 11,
        facts: { cmi: failedAt(10), pccw: failedAt(11), hkbn: failedAt(11) },
        wish: { cmi: 'announce all-bad', pccw: 'announce all-bad', hkbn: 'announce all-bad' },
      },
      {
        at: 1000,
        facts: { cmi: failedAt(10), pccw: failedAt(11), hkbn: failedAt(11) },
        wish: { cmi: 'announce all-bad', pccw: 'announce all-bad', hkbn: 'announce all-bad' },
      },
    ],
  },
  {
    name: 'the wait for the others ends after its time, and the uplink leaves',
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: { health: 'healthy', inBadSeconds: true } },
        wish: { cmi: 'announce all-bad', pccw: 'announce' },
      },
      {
        at: 17,
        facts: { cmi: failedAt(10), pccw: { health: 'healthy', inBadSeconds: true } },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'when one of all recovers, the others leave',
    moments: [
      {
        at: 11,
        facts: { cmi: failedAt(10), pccw: failedAt(11) },
        wish: { cmi: 'announce all-bad', pccw: 'announce all-bad' },
      },
      {
        at: 90,
        facts: { cmi: { health: 'healthy', since: 90 }, pccw: failedAt(11) },
        wish: { cmi: 'announce', pccw: 'withdraw' },
      },
    ],
  },
  {
    name: 'of all that failed together, the one whose gateway is dead leaves',
    moments: [
      {
        at: 11,
        facts: { cmi: failedAt(10, { gateway: 'failed' }), pccw: failedAt(11) },
        wish: { cmi: 'withdraw', pccw: 'announce all-bad' },
      },
    ],
  },
  {
    name: 'one after the other, further apart than together: the last stays as last-resort',
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10), pccw: healthy, hkbn: healthy },
        wish: { cmi: 'withdraw', pccw: 'announce', hkbn: 'announce' },
      },
      {
        at: 40,
        facts: { cmi: failedAt(10), pccw: failedAt(40), hkbn: healthy },
        wish: { cmi: 'withdraw', pccw: 'withdraw', hkbn: 'announce' },
      },
      {
        at: 70,
        facts: { cmi: failedAt(10), pccw: failedAt(40), hkbn: failedAt(70) },
        wish: { cmi: 'withdraw', pccw: 'withdraw', hkbn: 'announce last-resort' },
      },
    ],
  },
  {
    name: 'a better one is announced before the failed last one leaves, without waiting for its hold',
    moments: [
      { at: 10, facts: { cmi: failedAt(10), hkbn: healthy }, wish: { cmi: 'withdraw', hkbn: 'announce' } },
      {
        at: 40,
        facts: { cmi: failedAt(10), hkbn: failedAt(40) },
        wish: { cmi: 'withdraw', hkbn: 'announce last-resort' },
      },
      {
        at: 80,
        facts: { cmi: { health: 'healthy', since: 80 }, hkbn: failedAt(40) },
        wish: { cmi: 'announce', hkbn: 'announce last-resort' },
      },
      {
        at: 81,
        facts: { cmi: { health: 'healthy', since: 80 }, hkbn: failedAt(40) },
        wish: { cmi: 'announce', hkbn: 'withdraw' },
      },
    ],
  },
  {
    name: 'when the session of the last one is down, the least bad is announced',
    moments: [
      {
        at: 10,
        facts: { cmi: failedAt(10, { loss: 0.2 }), pccw: failedAt(10, { loss: 0.9 }), hkbn: healthy },
        wish: { cmi: 'withdraw', pccw: 'withdraw', hkbn: 'announce' },
      },
      {
        at: 40,
        facts: { cmi: failedAt(10, { loss: 0.2 }), pccw: failedAt(10, { loss: 0.9 }), hkbn: healthy },
        more: {
          sessions: new Map([
            ['cmi4', 'up'],
            ['pccw4', 'up'],
            ['hkbn4', 'down'],
          ]),
        },
        wish: { cmi: 'announce last-resort', pccw: 'withdraw', hkbn: 'announce' },
      },
    ],
  },
  {
    name: 'keep_uplinks 2 keeps the less bad of two that fail',
    moments: [
      {
        at: 40,
        facts: { cmi: failedAt(10, { loss: 0.3 }), pccw: failedAt(40), hkbn: healthy },
        more: { guards: { ...guards, keepUplinks: 2 } },
        wish: { cmi: 'announce last-resort', pccw: 'withdraw', hkbn: 'announce' },
      },
    ],
  },
  {
    name: 'keep_uplinks 0 lets the last one leave and brings nothing back',
    moments: [
      {
        at: 40,
        facts: { cmi: failedAt(40) },
        more: { guards: { ...guards, keepUplinks: 0 } },
        wish: { cmi: 'withdraw' },
      },
      {
        at: 41,
        facts: { cmi: failedAt(40) },
        more: { guards: { ...guards, keepUplinks: 0 } },
        wish: { cmi: 'withdraw' },
      },
    ],
  },
  {
    name: 'of equally bad ones the first in the config stays',
    moments: [
      {
        at: 40,
        facts: { cmi: failedAt(10), pccw: failedAt(40) },
        wish: { cmi: 'announce last-resort', pccw: 'withdraw' },
      },
    ],
  },
  {
    name: 'the only uplink of a node stays as last-resort',
    moments: [{ at: 40, facts: { cmi: failedAt(40) }, wish: { cmi: 'announce last-resort' } }],
  },
  {
    name: 'all slow: the least slow stays undrained, and does not change places',
    moments: [
      {
        at: 10,
        facts: { cmi: slowAt(10, 0.02), pccw: slowAt(10, 0.01) },
        wish: { cmi: 'drain', pccw: 'announce last-resort' },
      },
      {
        at: 11,
        facts: { cmi: slowAt(10, 0.0), pccw: slowAt(10, 0.03) },
        wish: { cmi: 'drain', pccw: 'announce last-resort' },
      },
    ],
  },
  {
    name: 'a hand holds against a verdict both ways',
    moments: [
      {
        at: 10,
        facts: { cmi: healthy, pccw: failedAt(10) },
        more: { overrides: [hand('cmi', 'withdraw'), hand('pccw', 'announce')] },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
    ],
  },
  {
    name: 'what a hand withdrew returns at once when the hand ends',
    moments: [
      {
        at: 10,
        facts: { cmi: healthy, pccw: healthy },
        more: { overrides: [hand('cmi', 'withdraw')] },
        wish: { cmi: 'withdraw', pccw: 'announce' },
      },
      { at: 11, facts: { cmi: healthy, pccw: healthy }, wish: { cmi: 'announce', pccw: 'announce' } },
    ],
  },
];

function hand(uplink: string, state: 'announce' | 'withdraw'): Override {
  return {
    subject: { kind: 'announcement', service: 'web', uplink, family: 4 },
    state,
    author: 'birdc',
    reason: 'ticket 42',
    at: '2026-11-30T00:00:00Z',
    expires: null,
  };
}

describe('decide', () => {
  test.each(stories)('$name', ({ moments }) => play(moments));

  test('says why in every wish', () => {
    const { wish } = decide(inputAt(10, { cmi: failedAt(10), pccw: healthy }), emptyDecideMemory);
    expect(wish.announcements[0]).toMatchObject({
      reason: 'loss',
      text: 'failed in a test',
      author: 'causeway',
      held: null,
    });
  });
});
