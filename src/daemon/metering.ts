/** Feeds the metrics from the parts of the daemon; nothing that is measured waits for it. */
import { type Metrics, openMetrics } from '../http/metrics/metrics.ts';
import { packageVersion } from '../host/package-version.ts';
import type { ProbeTask, Sample } from '../types/outcome.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { BirdLook } from './bird-look.ts';
import type { History } from './history.ts';
import type { ProberState } from './prober.ts';

/** One round, as the loop saw it. */
export interface RoundFacts {
  /** When the tick should have begun; null: the first one. */
  readonly dueAt: Instant | null;
  readonly began: Instant;
  readonly ended: Instant;
  readonly samples: readonly Sample[];
  readonly tasks: readonly ProbeTask[];
  readonly prober: ProberState;
}

export interface Metering {
  readonly metrics: Metrics;
  /** The same look, with its time taken. */
  timed(look: BirdLook): BirdLook;
  /** A write of the owned file has ended. */
  readonly wroteFile: (from: Instant, to: Instant, isGood: boolean) => void;
  round(facts: RoundFacts): void;
}

export function openMetering(history: History, now: () => Instant): Metering {
  const metrics = openMetrics({ version: packageVersion(), runtime: process.version });
  const { meters } = metrics;
  history.follow((entry) => meters.told(entry));
  return {
    metrics,
    timed: (look) => ({
      alarms: () => look.alarms(),
      async look(config) {
        const from = now();
        const view = await look.look(config);
        meters.lookedAtBird(elapsed(from, now()));
        return view;
      },
    }),
    wroteFile: (from, to, isGood) => meters.wroteFile(elapsed(from, to), isGood),
    round({ dueAt, began, ended, samples, tasks, prober }) {
      meters.ticked(elapsed(began, ended), dueAt === null ? 0 : elapsed(dueAt, began));
      meters.probed(samples, tasks);
      if (prober.kind === 'running') meters.prober(prober.cpuMicros, prober.strays);
    },
  };
}
