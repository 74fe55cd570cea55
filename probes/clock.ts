/** The prober's clock. */
import { type Instant, instant } from '../src/types/units.ts';

/** CLOCK_MONOTONIC: the same in every process of this boot. */
export function monotonicNow(): Instant {
  const [seconds, nanos] = process.hrtime();
  return instant(seconds * 1e3 + nanos / 1e6);
}
