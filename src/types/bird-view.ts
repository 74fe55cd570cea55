/** What BIRD shows, as typed values. `null` is "not shown or not readable", never zero or none. */
import type { Family, Instant } from './units.ts';
import type { SeenState } from './wire/enums.ts';

export type ProtocolState = 'up' | 'down' | 'start' | 'stop' | 'flush' | 'unknown';

export interface ChannelSeen {
  readonly family: Family;
  readonly state: string;
  readonly imported: number | null;
  readonly exported: number | null;
  /** Received counts of the route change statistics. */
  readonly importUpdates: number | null;
  readonly importWithdraws: number | null;
  readonly exportUpdates: number | null;
  readonly exportWithdraws: number | null;
}

export interface ProtocolSeen {
  readonly name: string;
  /** BGP, Static, Pipe, Kernel, … as BIRD writes it. */
  readonly proto: string;
  readonly state: ProtocolState;
  /** The whole row as BIRD sent it, where its state is `unknown`. */
  readonly raw?: string;
  /** BIRD's local time of the last change in ms, to be compared with other times of the same reply only. */
  readonly sinceMillis: number | null;
  /** Of BGP: Established, Active, …; else what stands in the Info column. */
  readonly info: string;
  /** Of a BGP session that fell: BIRD itself found the neighbour gone. Absent: it fell otherwise, or BIRD tells nothing. */
  readonly lostBy?: 'bfd' | 'hold-timer' | 'link';
  readonly description: string | null;
  readonly message: string | null;
  readonly channels: readonly ChannelSeen[];
}

export interface BirdSeen {
  readonly kind: 'seen';
  readonly readAt: Instant;
  readonly version: string;
  /** BIRD's local time in ms, like `sinceMillis`. */
  readonly serverMillis: number | null;
  readonly bootMillis: number | null;
  readonly configuredMillis: number | null;
  /** False while it reconfigures, recovers or shuts down. */
  readonly running: boolean;
  readonly protocols: ReadonlyMap<string, ProtocolSeen>;
  /** The socket shows everything and changes nothing (`cli { restrict; }`). Absent: it takes commands, or was not asked. */
  readonly restricted?: boolean;
  /** By announcementKey: what sessions of other names (`bird.adopt`) export. Absent: not asked. */
  readonly exports?: ReadonlyMap<string, SeenState>;
}

export interface BirdUnreachable {
  readonly kind: 'unreachable';
  readonly readAt: Instant;
  readonly path: string;
  /** errno or one of our own codes (`ETIMEDOUT`, `bad-reply`, `closed`). */
  readonly code: string;
  readonly text: string;
}

export type BirdView = BirdSeen | BirdUnreachable;

/** BIRD computes the wall time of a moment anew for each reply, and rounds it: it wavers by a millisecond. */
export function isSameMoment(a: number | null | undefined, b: number | null | undefined): boolean {
  return a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= 2);
}
