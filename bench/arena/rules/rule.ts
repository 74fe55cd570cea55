/** What runs in the arena: something that sends probes into a path and calls an uplink failed. */
import type { Path } from '../path.ts';
import type { Random } from '../random.ts';

export interface Run {
  readonly path: Path;
  /** For phases and jitter of its own. */
  readonly random: Random;
  readonly untilMillis: number;
  /** Ends the run at the first failure after this; Infinity: it runs to its end. */
  readonly stopFromMillis: number;
}

/** When the uplink became failed, and for how long it was. */
export interface Ruling {
  readonly failedAt: readonly number[];
  readonly failedMillis: number;
}

export interface Rule {
  readonly name: string;
  /** Its constants and where they are documented, in one line. */
  readonly pinnedBy: string;
  run(run: Run): Ruling;
}

/** Collects a ruling; `set` is told the state at each moment at which it may have changed. */
export function makeLedger(run: Run): {
  set(failed: boolean, atMillis: number): void;
  readonly over: () => boolean;
  ruling(): Ruling;
} {
  const failedAt: number[] = [];
  let failedSince: number | null = null;
  let failedMillis = 0;
  return {
    set: (failed, at) => {
      if (failed === (failedSince !== null)) return;
      if (failed) failedAt.push(at);
      else failedMillis += at - (failedSince ?? at);
      failedSince = failed ? at : null;
    },
    over: () => (failedAt.at(-1) ?? -Infinity) >= run.stopFromMillis,
    ruling: () => ({
      failedAt,
      failedMillis: failedMillis + (failedSince === null ? 0 : Math.max(0, run.untilMillis - failedSince)),
    }),
  };
}
