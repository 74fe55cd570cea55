/** The two clocks of the daemon: monotonic time decides, wall time is for people. */
import { type Instant, instant } from '../types/units.ts';

/** CLOCK_MONOTONIC in ms, the same in the prober child. */
export function monotonicNow(): Instant {
  return instant(Number(process.hrtime.bigint()) / 1e6);
}

/** ISO 8601 in UTC. */
export function wallTimeNow(): string {
  return new Date().toISOString();
}
