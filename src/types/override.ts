/** An operator's word about an announcement, an egress pipe or a session, which stands above every verdict. */
import type { Family } from './units.ts';

export type OverrideSubject =
  | {
      readonly kind: 'announcement';
      readonly service: string;
      readonly uplink: string;
      readonly family: Family;
    }
  /** An operator's selection: null stands for all of them; all three null is the whole node. */
  | {
      readonly kind: 'selection';
      readonly service: string | null;
      readonly uplink: string | null;
      readonly family: Family | null;
    }
  | { readonly kind: 'egress'; readonly uplink: string; readonly family: Family }
  | { readonly kind: 'session'; readonly uplink: string; readonly family: Family };

export interface Override {
  readonly subject: OverrideSubject;
  readonly state: 'announce' | 'drain' | 'withdraw';
  /** `birdc` for a hand seen in BIRD. */
  readonly author: string;
  readonly reason: string;
  /** Wall time, for people; ISO 8601. */
  readonly at: string;
  /** Wall time; null: until it is ended. */
  readonly expires: string | null;
  /** Said to every node. */
  readonly scope?: 'fleet';
}
