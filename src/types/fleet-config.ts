/** `fleet`: how this node meets the others, after loading. */
import type { Millis } from './units.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** One Redis, or the Sentinels that know which of several is the master. */
export type RedisWay =
  | ({ readonly kind: 'single'; readonly db: number } & HostPort)
  | {
      readonly kind: 'sentinel';
      readonly master: string;
      readonly nodes: readonly HostPort[];
      /** Of the Sentinels themselves; null: they ask for none. */
      readonly passwordFile: string | null;
    };

export interface FleetConfig {
  readonly way: RedisWay;
  /** Of the ACL; null: Redis's default user. */
  readonly user: string | null;
  /** Read at each connection; null: no password. */
  readonly passwordFile: string | null;
  /** The key with which orders to the whole fleet are sealed; null: they are not. */
  readonly ordersKeyFile: string | null;
  /** null: in the clear; `caFile` null: the system's authorities. Of Sentinels too. */
  readonly tls: { readonly caFile: string | null } | null;
  /** Every key and channel begins with it and a colon. */
  readonly prefix: string;
  /** The longest time between two publications of this node's presence. */
  readonly publishMillis: Millis;
  /** A presence that was not renewed for this long is gone. */
  readonly expireMillis: Millis;
  /** After an apply on one node no other applies for this long; 0: they do not wait for each other. */
  readonly soakMillis: Millis;
  readonly token: {
    readonly lifeMillis: Millis;
    /** Nodes that may leave within the window. */
    readonly nodes: number;
    readonly windowMillis: Millis;
  };
  /** true: keep_nodes is counted within the node's own site as well. */
  readonly perSite: boolean;
}
