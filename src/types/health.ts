/** What the outcomes say of a target, a region or an uplink, for one family. */
import type { HealthReason, HealthState } from './wire/enums.ts';
import type { Family, Instant, Millis, Ratio } from './units.ts';

/** Figures over the verdict's window, for reasons and people; they never decide. */
export interface Evidence {
  readonly loss: Ratio | null;
  readonly rttP50Millis: Millis | null;
  readonly rttP95Millis: Millis | null;
  readonly answered: number;
  readonly lost: number;
  readonly notRun: number;
  readonly targets: number;
  /** Targets whose own loss is above loss.bad. */
  readonly badTargets: number;
}

export interface Verdict {
  readonly health: HealthState;
  readonly reason: HealthReason;
  /** One sentence with the evidence. */
  readonly text: string;
  readonly since: Instant;
  /** Of a failed one that measures clean again: since when; null otherwise. */
  readonly cleanSince: Instant | null;
  /** Whether its most recent closed cells are bad, although it may not be decided yet. */
  readonly inBadSeconds: boolean;
  readonly evidence: Evidence;
}

/** A target's, a region's and the whole uplink's verdicts of one family. */
export interface UplinkHealth {
  readonly uplink: string;
  readonly family: Family;
  readonly uplinkVerdict: Verdict;
  readonly gateway: Verdict | null;
  readonly regions: ReadonlyMap<string, Verdict>;
  readonly targets: ReadonlyMap<string, Verdict>;
}

/** What the host says of an uplink's interface: carrier there, carrier gone, or no such interface. */
export type LinkFact = 'up' | 'down' | 'missing';

/** Whose verdict; the gateway's only attributes. */
export type VerdictSubject =
  | { readonly kind: 'uplink' }
  | { readonly kind: 'gateway' }
  | { readonly kind: 'region'; readonly region: string }
  | { readonly kind: 'target'; readonly target: string };

/** A verdict that became another one, for the log and the history. */
export interface Transition {
  readonly uplink: string;
  readonly family: Family;
  readonly subject: VerdictSubject;
  readonly from: HealthState;
  readonly to: HealthState;
  readonly reason: HealthReason;
  /** The new verdict's sentence. */
  readonly text: string;
}
