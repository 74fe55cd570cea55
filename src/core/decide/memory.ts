/**
 * What decide carries from tick to tick: what stands on each announcement, the return clock of each uplink, and what
 * has been spent of the budgets. Plain data, so that it can be kept in a checkpoint; all of it can be made anew from
 * what is found in BIRD, with budgets that are full.
 */
import type { Instant } from '../../types/units.ts';
import type { AnnounceState, WishReason } from '../../types/wire/enums.ts';
import type { Penalty } from './damping.ts';
import type { UplinkEvent } from './uplink-events.ts';

/** What link verdicts make of an announcement, beneath overrides, maintenance and readiness. */
export interface Standing {
  readonly state: AnnounceState;
  readonly reason: WishReason;
  readonly text: string;
  /** Whether a link verdict made it so; what an operator or a hand made returns without a hold. */
  readonly byVerdict: boolean;
  /** Of a return that is still drained: since when. */
  readonly canarySince?: Instant;
}

/** The wish of the last tick, which is what the carrier has. */
export interface Wished {
  readonly state: AnnounceState;
  /** What it would be without overrides of operators and hands. */
  readonly beneath: AnnounceState;
}

/** Of one uplink in one family. */
export interface ReturnClock {
  /** In a failed or degraded spell. */
  readonly bad: boolean;
  /** Spells that followed one another within recovery.maxHold. */
  readonly flaps: number;
  /** End of the hold after the last spell; null: none was seen. */
  readonly holdUntil: Instant | null;
}

/** Of a service with a check. */
export interface Readied {
  /** As its check last said. */
  readonly ready: boolean;
  /** Whether it was ever ready since the boot. */
  readonly once: boolean;
}

export interface DecideMemory {
  /** By announcementKey. */
  readonly standing: Readonly<Record<string, Standing>>;
  /** By announcementKey. */
  readonly wished: Readonly<Record<string, Wished>>;
  /** What a carrier that damps has counted, by announcementKey. */
  readonly penalties: Readonly<Record<string, Penalty>>;
  /** By uplinkKey. */
  readonly clocks: Readonly<Record<string, ReturnClock>>;
  /** Oldest first. */
  readonly events: readonly UplinkEvent[];
  /** By service. */
  readonly readied: Readonly<Record<string, Readied>>;
  /** Planned drains that wait for GeoDNS, since when; by announcementKey. */
  readonly planned: Readonly<Record<string, Instant>>;
  /** groupKeys whose last announcement left with the fleet's consent. */
  readonly consented: readonly string[];
  /** The latest time that was decided at; null: none. */
  readonly now: Instant | null;
}

export const emptyDecideMemory: DecideMemory = {
  standing: {},
  wished: {},
  penalties: {},
  clocks: {},
  events: [],
  readied: {},
  planned: {},
  consented: [],
  now: null,
};

/** Of an announcement that nothing is known about: announced, as a file without the daemon would have it. */
export const standingUnknown: Standing = {
  state: 'announce',
  reason: 'as-found',
  text: 'announced as found',
  byVerdict: false,
};
