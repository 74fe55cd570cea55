/** What holds of health whatever the outcomes are. */
import { fc, test } from '../support/property.ts';
import { beforeEach, describe, expect } from 'vitest';
import { checkpoint } from '../../src/core/health/checkpoint.ts';
import { createHealth } from '../../src/core/health/create-health.ts';
import { judge } from '../../src/core/health/judge.ts';
import type { HealthMemory } from '../../src/core/health/memory.ts';
import { observe } from '../../src/core/health/observe.ts';
import { restoreHealth } from '../../src/core/health/restore-health.ts';
import type { LinkFact, UplinkHealth } from '../../src/types/health.ts';
import type { Outcome, Sample } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
import { policyWith, tasksOf } from '../unit/health-world.ts';

const start = 1_000_000;
const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';

const recovery = {
  ...policyWith().recovery,
  cleanMillis: millis(3000),
  holdMillis: millis(0),
  maxHoldMillis: millis(0),
};

/** Five tasks in each: one uplink with its gateway; and two uplinks, three kinds and all limits that can be set. */
const variants = [
  {
    name: 'one uplink by the defaults',
    runs: {},
    tasks: tasksOf({ ID: 2, PH: 1, MY: 1 }, { gateway: true }),
    policy: policyWith({ recovery }),
  },
  {
    name: 'two uplinks, several kinds and every limit',
    runs: isFull ? {} : { numRuns: 25 },
    tasks: [
      ...tasksOf({ ID: 3 }).map((task) => task),
      ...tasksOf({ ID: 1 }, { uplink: 'pccw' }).map((task) => Object.assign({}, task, { id: 3 })),
      ...tasksOf({ ID: 1 }).map((task) => Object.assign({}, task, { id: 4, kind: 'mtu' as const })),
    ],
    policy: policyWith({
      recovery,
      latency: { badMillis: millis(300), baseline: 0.6 },
      jitter: { badMillis: millis(200), baseline: 2 },
      windowProbes: 60,
    }),
  },
] as const;
let [{ tasks, policy }]: readonly [Pick<(typeof variants)[number], 'tasks' | 'policy'>, ...unknown[]] =
  variants;

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Outcome>({ kind: 'lost' }) },
  {
    weight: 5,
    arbitrary: fc
      .integer({ min: 0, max: 900 })
      .map((rtt): Outcome => ({ kind: 'answered', rttMillis: millis(rtt) })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Outcome>(
      { kind: 'not-run', why: 'loop-lag' },
      { kind: 'not-run', why: 'interface-down' },
    ),
  },
);

/** What happens in one second: per task an outcome that all its probes have, or silence; and the link. */
interface Second {
  readonly outcomes: readonly (Outcome | null)[];
  readonly link: LinkFact;
}

const second: fc.Arbitrary<Second> = fc.record({
  outcomes: fc.array(fc.option(outcome, { freq: 6 }), { minLength: 5, maxLength: 5 }),
  link: fc.constantFrom<LinkFact>('up', 'up', 'up', 'up', 'up', 'up', 'up', 'up', 'down', 'missing'),
});
/** Seconds come in runs, or nothing would last long enough to be decided. */
const seconds: fc.Arbitrary<readonly Second[]> = fc
  .array(fc.tuple(second, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 8 })
  .map((runs) => runs.flatMap(([one, times]) => Array.from({ length: times }, () => one)));

function samplesOf({ outcomes }: Second, index: number): readonly Sample[] {
  return outcomes.flatMap((one, task) =>
    one === null
      ? []
      : [100, 300, 500, 700, 900].map((offset) => ({
          task,
          sentAt: instant(start + index * 1000 + offset),
          outcome: one,
        })),
  );
}

interface Step {
  readonly memory: HealthMemory;
  readonly health: readonly UplinkHealth[];
}

/** Observes and judges one second; `change` sees the samples before. */
function step(
  memory: HealthMemory,
  one: Second,
  index: number,
  change: (samples: readonly Sample[]) => readonly Sample[] = (samples) => samples,
): Step {
  const now = instant(start + (index + 1) * 1000);
  const observed = observe(memory, change(samplesOf(one, index)));
  return judge(observed, policy, new Map([['cmi', one.link]]), now, now);
}

function historyOf(
  all: readonly Second[],
  change?: (samples: readonly Sample[]) => readonly Sample[],
): readonly (readonly UplinkHealth[])[] {
  let memory = createHealth(tasks, policy, instant(start));
  return all.map((one, index) => {
    const next = step(memory, one, index, change);
    memory = next.memory;
    return next.health;
  });
}

describe.each(variants)('health of $name', (variant) => {
  beforeEach(() => {
    ({ tasks, policy } = variant);
  });

  test.prop([seconds], variant.runs)(
    'is the same for the same outcomes, and for any order within a batch',
    (all) => {
      const history = historyOf(all);
      expect(historyOf(all)).toEqual(history);
      expect(historyOf(all, (samples) => samples.toReversed())).toEqual(history);
      expect(
        historyOf(all, (samples) => samples.toSorted((a, b) => b.sentAt - a.sentAt || a.task - b.task)),
      ).toEqual(history);
    },
  );

  test.prop([seconds], variant.runs)(
    'counts answered and lost alone: other outcomes beside them change no verdict',
    (all) => {
      const extra = (samples: readonly Sample[]): readonly Sample[] => [
        ...samples,
        ...samples
          .filter((sample) => sample.outcome.kind !== 'not-run')
          .map((sample): Sample => ({ ...sample, outcome: { kind: 'not-run', why: 'send-queue' } })),
      ];
      const verdicts = (history: readonly (readonly UplinkHealth[])[]) =>
        history.map((healths) =>
          healths.map(({ uplinkVerdict }) => [
            uplinkVerdict.health,
            uplinkVerdict.cleanSince,
            uplinkVerdict.inBadSeconds,
          ]),
        );
      expect(verdicts(historyOf(all, extra))).toEqual(verdicts(historyOf(all)));
    },
  );

  test.prop([seconds, outcome], variant.runs)(
    'is not changed by outcomes of cells that are closed',
    (all, late) => {
      let memory = createHealth(tasks, policy, instant(start));
      let other = createHealth(tasks, policy, instant(start));
      all.forEach((one, index) => {
        const next = step(memory, one, index);
        memory = next.memory;
        // A cell of 1 s closes 1 s of timeout and a little slack after its end.
        const closed = index - 3;
        const lateSamples = closed < 0 ? [] : samplesOf({ ...one, outcomes: tasks.map(() => late) }, closed);
        const otherNext = step(observe(other, lateSamples), one, index);
        other = otherNext.memory;
        expect(otherNext.health).toEqual(next.health);
      });
    },
  );

  test.prop([seconds, fc.nat()], variant.runs)('goes on the same from a checkpoint', (all, seed) => {
    const cut = seed % all.length;
    let memory = createHealth(tasks, policy, instant(start));
    all.slice(0, cut).forEach((one, index) => {
      memory = step(memory, one, index).memory;
    });
    const text = checkpoint(memory);
    let restored = restoreHealth(text, tasks, policy, memory.now);
    expect(restored).not.toBeNull();
    all.slice(cut).forEach((one, index) => {
      if (restored === null) return;
      const next = step(memory, one, cut + index);
      const other = step(restored, one, cut + index);
      memory = next.memory;
      restored = other.memory;
      expect(other.health).toEqual(next.health);
    });
  });

  test.prop([seconds], variant.runs)('does not change when time stands still or seems to run back', (all) => {
    let memory = createHealth(tasks, policy, instant(start));
    all.forEach((one, index) => {
      const next = step(memory, one, index);
      const again = judge(next.memory, policy, new Map([['cmi', one.link]]), instant(start));
      expect(again.health).toEqual(next.health);
      expect(again.transitions).toEqual([]);
      memory = again.memory;
    });
  });

  test.prop([seconds], variant.runs)(
    'turns from failed to healthy or degraded only where cells of the clean run were answered',
    (all) => {
      const uplink = historyOf(all).map((healths) => healths[0]?.uplinkVerdict.health);
      uplink.forEach((health, index) => {
        if (uplink[index - 1] !== 'failed' || (health !== 'healthy' && health !== 'degraded')) return;
        // The latest closed cell is two seconds back; the clean run takes three.
        const run = all.slice(Math.max(0, index - 4), index - 1);
        const answers = run.map(({ outcomes }) => outcomes.some((one) => one?.kind === 'answered'));
        expect(answers).toContain(true);
        expect(run.map(({ link }) => link)).not.toContain('down');
      });
    },
  );
});
