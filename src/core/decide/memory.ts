/**
 * What decide carries from tick to tick: the state in force of each announcement and the return clock of each uplink.
 * Plain data, so that it can be kept in a checkpoint; all of it can be made anew from what is found in BIRD.
 */
import type { Instant } from '../../types/units.ts';
import type { AnnounceState, WishReason } from '../../types/wire/enums.ts';

export interface Standing {
  readonly state: AnnounceState;
  readonly reason: WishReason;
  readonly text: string;
  /** Whether a link verdict made it so; what an operator or a hand made returns without a hold. */
  readonly byVerdict: boolean;
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

export interface DecideMemory {
  /** By announcementKey. */
  readonly standing: Readonly<Record<string, Standing>>;
  /** By uplinkKey. */
  readonly clocks: Readonly<Record<string, ReturnClock>>;
}

export const emptyDecideMemory: DecideMemory = { standing: {}, clocks: {} };

/** Of an announcement that nothing is known about: announced, as a file without the daemon would have it. */
export const standingUnknown: Standing = {
  state: 'announce',
  reason: 'as-found',
  text: 'announced as found',
  byVerdict: false,
};
