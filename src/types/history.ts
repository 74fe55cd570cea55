/** The history as its writers and readers use it; the entries themselves are wire/history.ts. */
import type { HistoryEntry, HistoryKind } from './wire/history.ts';

type Stamp = 'id' | 'at' | 'monotonicMillis' | 'bootId';
type WithoutStamp<T> = T extends unknown ? Omit<T, Stamp> : never;

/** What a part of the daemon tells; the history adds id and times. */
export type HistoryEvent = WithoutStamp<HistoryEntry>;

/** Takes an event; never waits and never throws. */
export type TellHistory = (event: HistoryEvent) => void;

/** Which entries; all conditions must hold. */
export interface HistoryQuery {
  /** Wall time in ms: entries from then on. */
  readonly sinceMillis?: number;
  /** Entries with a greater id. */
  readonly afterId?: number;
  /** Entries about this uplink; those about no uplink in particular are left out. */
  readonly uplink?: string;
  readonly kind?: HistoryKind;
  /** The newest of them, at most this many. */
  readonly limit: number;
}

export interface HistoryReader {
  /** Oldest first. */
  read(query: HistoryQuery): Promise<readonly HistoryEntry[]>;
  /** Each entry from now on, as it is told; the returned function ends it. */
  follow(listener: (entry: HistoryEntry) => void): () => void;
}
