/**
 * How long decisions take and how rarely they are wrong, on seeded streams of chance. Reach (DESIGN §10): 100, 20, 10
 * and 5 % loss within 6.5, 9, 13 and 28 s in the median, timeout included; no false alarm. The bounds are the
 * contract's, not what was measured; the seeds are fixed, so a failure is a change of the detector.
 */
import { describe, expect, test } from 'vitest';
import type { ProbeTask } from '../../src/types/outcome.ts';
import { millis } from '../../src/types/units.ts';
import {
  type TaskPlan,
  bursty,
  firstAt,
  lossy,
  policyWith,
  randomOf,
  run,
  tasksOf,
  worldOf,
} from './health-world.ts';

const full = Boolean(process.env['CAUSEWAY_TEST_FULL']);
const start = 1_000_000;
const ambient = 0.002;
const one = { ID: 4 };
const five = { ID: 2, PH: 2, MY: 2, VN: 2, SG: 2 };

/** Seconds from the fault to the verdict, for each seed. */
function decisionSeconds(
  layout: Readonly<Record<string, number>>,
  loss: number,
  seeds: number,
  patienceMillis = 5000,
  plan: TaskPlan = {},
): readonly number[] {
  return Array.from({ length: seeds }, (_, seed) => {
    const random = randomOf(seed * 7919 + 1);
    const faultAt = start + 10_000 + random() * 1000;
    const path = lossy(random, (_task, at) => (at >= faultAt ? loss : ambient));
    const policy = policyWith({ patienceMillis: millis(patienceMillis) });
    const world = worldOf(tasksOf(layout, plan), policy, path, { random });
    run(world, faultAt + 120_000, () => firstAt(world, 'failed') !== null);
    return ((firstAt(world, 'failed') ?? Infinity) - faultAt) / 1000;
  }).sort((a, b) => a - b);
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Infinity;
}

describe('the median time to a verdict, timeout included', () => {
  test.each([
    { loss: 1, seeds: 50, seconds: 6.5 },
    { loss: 0.2, seeds: 50, seconds: 9 },
    { loss: 0.1, seeds: 60, seconds: 13 },
    { loss: 0.05, seeds: 100, seconds: 28 },
  ])('at $loss loss of 4 targets is at most $seconds s', ({ loss, seeds, seconds }) => {
    const times = decisionSeconds(one, loss, full ? seeds * 10 : seeds);
    expect(median(times)).toBeLessThanOrEqual(seconds);
    // Never sooner than five bad cells can be closed.
    expect(times[0]).toBeGreaterThan(5);
  });

  test('at 10 % loss of 10 targets in 5 regions is at most 13 s too', () => {
    expect(median(decisionSeconds(five, 0.1, 25))).toBeLessThanOrEqual(13);
  });

  test('at total loss without patience is at most 1 s', () => {
    const times = decisionSeconds(one, 1, 50, 0, { intervalMillis: 100, timeoutMillis: 200 });
    expect(median(times)).toBeLessThanOrEqual(1);
  });
});

describe('with 0.2 % loss in bursts of 5', () => {
  const hours = full ? 240 : 4;
  const dead = (name: string, share: number) => (task: ProbeTask) =>
    task.target === name || task.region === name ? share : 0;

  test.each([
    { name: 'nothing else', layout: one, own: () => 0, regions: 0 },
    { name: 'one of four targets dead', layout: one, own: dead('id-1', 1), regions: 0 },
    { name: 'one of four targets limited to 70 %', layout: one, own: dead('id-1', 0.3), regions: 0 },
    { name: 'one of ten targets dead', layout: five, own: dead('id-1', 1), regions: 0 },
    { name: 'one of five regions dead', layout: five, own: dead('ID', 1), regions: 1 },
  ])(`and $name, no uplink fails in ${hours} hours`, { timeout: 3_600_000 }, ({ layout, own, regions }) => {
    const random = randomOf(17);
    const path = bursty(random, { share: ambient, meanProbes: 5 }, own);
    const world = worldOf(tasksOf(layout), policyWith(), path, { random, tickMillis: 1000 });
    run(world, start + hours * 3_600_000);
    const changed = world.log.filter(({ change }) => change.to === 'failed' || change.to === 'degraded');
    expect(changed.filter(({ change }) => change.subject.kind === 'uplink')).toEqual([]);
    expect(changed.filter(({ change }) => change.subject.kind === 'region')).toHaveLength(regions);
  });
});

test.each([1, 0.5, 0.3, 0.2, 0.1])(
  'two regions of five that lose %f from the same moment never fail the uplink',
  (loss) => {
    for (let seed = 0; seed < 10; seed += 1) {
      const random = randomOf(seed + 100);
      const faultAt = start + 10_000 + random() * 1000;
      const path = lossy(random, ({ region }, at) =>
        at >= faultAt && ['ID', 'PH'].includes(region) ? loss : ambient,
      );
      const world = worldOf(tasksOf(five), policyWith(), path, { random });
      run(world, faultAt + 40_000);
      expect(firstAt(world, 'failed')).toBeNull();
    }
  },
);
