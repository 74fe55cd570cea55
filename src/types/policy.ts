/** What counts as good, bad and recovered. All of it comes from the config's `policy`. */
import type { Millis, Ratio } from './units.ts';

export interface Policy {
  readonly loss: { readonly good: Ratio; readonly bad: Ratio };
  /** Round trips above `badMillis`, or above what is usual for the target by more than that (0.6: 60 %), are slow. */
  readonly latency: { readonly badMillis: Millis; readonly baseline?: number };
  /** The same for the difference of two successive round trips (RFC 3393); left out: it is not judged. */
  readonly jitter?: { readonly badMillis?: Millis; readonly baseline?: number };
  /** In place of the sequential test: more than `loss.bad` of the last so many probes is a fault. */
  readonly windowProbes?: number;
  /** Bad seconds that a fault takes before a verdict; 0 judges every probe at once. */
  readonly patienceMillis: Millis;
  /** Mean time between false alarms that the thresholds are computed for, for each uplink and family. */
  readonly falseAlarmMillis: Millis;
  readonly regions: { readonly share: Ratio; readonly weights: ReadonlyMap<string, number> };
  readonly recovery: RecoveryPolicy;
  readonly drain: DrainPolicy;
  /** A family without targets borrows the other one's verdict, and both move together. */
  readonly tieFamilies: boolean;
}

export interface RecoveryPolicy {
  /** How long an uplink must measure clean before its verdict is healthy again. */
  readonly cleanMillis: Millis;
  /** How long it is then still held back; doubles with each flap up to maxHoldMillis. */
  readonly holdMillis: Millis;
  readonly maxHoldMillis: Millis;
  /** drain: a return is drained for cleanMillis first, where the flap budget has room for it. */
  readonly canary: 'drain' | 'off';
}

export interface DrainPolicy {
  readonly med: number;
  readonly prepend: number;
  /** Whether GRACEFUL_SHUTDOWN (RFC 8326) is added. */
  readonly gshut: boolean;
}
