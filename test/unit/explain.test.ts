/** "Why is CMI still announced?" and "why is it withdrawn?", in three lines each. */
import { describe, expect, test } from 'vitest';
import { dampingModels } from '../../src/core/decide/damping.ts';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { explain } from '../../src/core/decide/explain.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import type { SeenState } from '../../src/types/wire/enums.ts';
import {
  both,
  failedAt,
  fleetSays,
  frozen,
  readiness,
  said,
  well,
  wellAt,
  window,
} from '../support/story.ts';
import { type Fact, inputAt } from '../support/world.ts';

interface Moment {
  readonly at: number;
  readonly facts: Readonly<Record<string, Fact>>;
  readonly more?: Partial<DecideInput>;
}

/** The lines about cmi at the last moment. */
function linesOf(moments: readonly Moment[], seen: SeenState): readonly string[] {
  let memory: DecideMemory = emptyDecideMemory;
  let lines: readonly string[] = [];
  for (const { at, facts, more } of moments) {
    const input = inputAt(at, facts, more);
    const decision = decide(input, memory);
    memory = decision.memory;
    const wish = decision.wish.announcements.find(({ uplink }) => uplink === 'cmi');
    if (wish === undefined) throw new Error('cmi is not in the wish');
    lines = explain(wish, {
      health: input.health.find(({ uplink }) => uplink === 'cmi') ?? null,
      seen,
      overrides: input.overrides,
      memory,
      recovery: input.policy.recovery,
      model: dampingModels[input.guards.flapBudget],
      now: input.now,
    });
  }
  return lines;
}

const third = (moments: readonly Moment[], seen: SeenState): string => linesOf(moments, seen)[2] ?? '';

describe('three lines', () => {
  test('why is it withdrawn? the verdict, what is measured, and what brings it back', () => {
    expect(linesOf([{ at: 134, facts: { cmi: failedAt(10), pccw: well } }], 'absent')).toEqual([
      'web IPv4 on cmi is withdrawn: loss, failed in a test',
      'measured: failed for 2 min 4 s, failed in a test; gateway healthy',
      'returns after 1 min of clean measurements and a hold of 1 min; flap budget 1000 of 2000, changes left: 0',
    ]);
  });

  test('why is it still announced? the guard, and what ends it', () => {
    expect(linesOf([{ at: 40, facts: { cmi: failedAt(40) } }], 'exported')).toEqual([
      'web IPv4 on cmi is announced: last-resort, the last announcement of this node; failed in a test',
      'measured: failed for 0 s, failed in a test; gateway healthy',
      'held by last-resort until it recovers, enough other uplinks are good, or the fleet consents: the last announcement of this node; flap budget 0 of 2000, changes left: 1',
    ]);
  });

  test('says what BIRD shows where it is not the wish', () => {
    const [first] = linesOf([{ at: 134, facts: { cmi: failedAt(10), pccw: well } }], 'exported');
    expect(first).toContain('is withdrawn (BIRD shows: exported)');
  });

  test.each<readonly [string, readonly Moment[], SeenState, string]>([
    ['healthy', [{ at: 1, facts: both }], 'exported', 'nothing holds it'],
    [
      'a hold names its rest',
      [
        { at: 10, facts: { cmi: failedAt(10), pccw: well } },
        { at: 120, facts: { cmi: wellAt(100), pccw: well } },
      ],
      'absent',
      'held by hold for 40 s more',
    ],
    [
      'an override names its end',
      [
        {
          at: 1,
          facts: both,
          more: { overrides: [said('drain', { uplink: 'cmi' }, { expires: '2026-11-30T03:00:00Z' })] },
        },
      ],
      'drained',
      'ends at 2026-11-30T03:00:00Z, or with `causeway release`',
    ],
    [
      'one without expiry',
      [{ at: 1, facts: both, more: { overrides: [said('drain', { uplink: 'cmi' })] } }],
      'drained',
      'ends with `causeway release`',
    ],
    [
      'a window',
      [{ at: 1, facts: both, more: { overrides: [window('drain', 'cmi')] } }],
      'drained',
      'ends with the maintenance window',
    ],
    [
      'readiness',
      [{ at: 1, facts: both, more: readiness('not-ready') }],
      'drained',
      'ends when the checks of the service pass',
    ],
    [
      'no consent',
      [{ at: 1, facts: both, more: { ...readiness('not-ready'), ...fleetSays('refused', 0) } }],
      'drained',
      'held by no-consent until the fleet consents, or the service is ready',
    ],
    [
      'a freeze',
      [
        { at: 1, facts: both },
        { at: 10, facts: { cmi: failedAt(10), pccw: well }, more: frozen },
      ],
      'exported',
      'held by frozen until somebody says `causeway thaw`: frozen by ops (storm)',
    ],
  ])('%s', (_name, moments, seen, wanted) => {
    expect(third(moments, seen)).toContain(wanted);
  });
});
