/** The round trip of a reply that was read some time after the kernel received it. */
import { type Instant, type Millis, millis } from '../src/types/units.ts';

/** The kernel's stamp is wall time: after a step of the clock its age is nonsense, and the time of reading is used. */
export function roundTrip(sentAt: Instant, now: Instant, agoMillis: number): Millis {
  const seen = now - sentAt;
  return millis(Math.max(0, agoMillis >= 0 && agoMillis <= seen ? seen - agoMillis : seen));
}
