/** What the kernel says of the machine's links and of the way each uplink's probes would take. */
import type { NotRunReason } from './outcome.ts';
import type { Family } from './units.ts';

export interface Link {
  /** Changes when an interface is deleted and made again; sockets bound to the old one are dead then. */
  readonly ifindex: number;
  /** Admin up and with carrier. */
  readonly up: boolean;
  /** Addresses that can be bound now: neither tentative nor duplicated (RFC 4862). */
  readonly addresses: readonly string[];
}

export interface LinkView {
  /** By interface name. */
  readonly links: ReadonlyMap<string, Link>;
}

/** Whether the probes of one uplink and family leave by that uplink. */
export type RouteFact =
  | {
      readonly kind: 'ok';
      readonly uplink: string;
      readonly family: Family;
      /** Rules of the plan that are not there although the probes find their way; commands that add them. */
      readonly missing: readonly string[];
    }
  | {
      readonly kind: 'wrong';
      readonly uplink: string;
      readonly family: Family;
      readonly why: NotRunReason;
      /** What was found, in one sentence. */
      readonly text: string;
      /** The exact command that mends it. */
      readonly mend: string;
    };
