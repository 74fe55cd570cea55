/** The whole of what the node should do now, and what stands in its way. */
import type { AnnounceState, EgressState, Guard, WishReason } from './wire/enums.ts';
import type { Family, Instant } from './units.ts';

export interface Held {
  readonly guard: Guard;
  readonly text: string;
  /** When it ends by itself; null: an event ends it, which the text names. */
  readonly until: Instant | null;
}

/** Of one service on one uplink in one family. */
export interface AnnouncementWish {
  readonly service: string;
  readonly uplink: string;
  readonly family: Family;
  readonly state: AnnounceState;
  readonly reason: WishReason;
  /** One sentence: it goes into BIRD's message, the description, the log and the status. */
  readonly text: string;
  readonly author: string;
  /** What a verdict wants and a guard does not let through. */
  readonly held: Held | null;
}

export interface EgressWish {
  readonly uplink: string;
  readonly family: Family;
  readonly state: EgressState;
  readonly reason: WishReason;
  readonly text: string;
  /** `birdc`: a hand on the pipe itself; else it follows the announcements. */
  readonly author: string;
}

export interface Wish {
  readonly announcements: readonly AnnouncementWish[];
  readonly egress: readonly EgressWish[];
}
