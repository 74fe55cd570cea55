/** What counts as good, bad and recovered. All of it comes from the config's `policy`. */
import type { Millis, Ratio } from './units.ts';

export interface Policy {
  readonly loss: { readonly good: Ratio; readonly bad: Ratio };
  /** Round trips above this are slow. */
  readonly latency: { readonly badMillis: Millis };
  /** Bad seconds that a fault takes before a verdict; 0 judges every probe at once. */
  readonly patienceMillis: Millis;
  /** Mean time between false alarms that the thresholds are computed for, for each uplink and family. */
  readonly falseAlarmMillis: Millis;
  readonly regions: { readonly share: Ratio; readonly weights: ReadonlyMap<string, number> };
  readonly recovery: RecoveryPolicy;
  readonly drain: DrainPolicy;
}

export interface RecoveryPolicy {
  /** How long an uplink must measure clean before its verdict is healthy again. */
  readonly cleanMillis: Millis;
  /** How long it is then still held back; doubles with each flap up to maxHoldMillis. */
  readonly holdMillis: Millis;
  readonly maxHoldMillis: Millis;
}

export interface DrainPolicy {
  readonly med: number;
  readonly prepend: number;
  /** Whether GRACEFUL_SHUTDOWN (RFC 8326) is added. */
  readonly gshut: boolean;
}
