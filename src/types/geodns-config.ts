/** `geodns`: the service that is told of this node's uplinks, after loading. */
import type { Millis } from './units.ts';

export interface GeoDnsConfig {
  /** Ways to one service, the preferred one first; without a slash at the end. */
  readonly urls: readonly string[];
  /** Holds the node's token, read at each request. */
  readonly tokenFile: string;
  /** Authorities that are believed; null: those of the system. */
  readonly caFile: string | null;
  /** How long resolvers keep its answers: a planned drain waits for it before BGP follows. */
  readonly ttlMillis: Millis;
  /** A planned drain waits no longer than this, told or not. */
  readonly deadlineMillis: Millis;
  readonly heartbeatMillis: Millis;
  readonly timeoutMillis: Millis;
}
