/** How the BGP session with a carrier is run, beside who the peer is. Units resolved, defaults filled in. */
import { millis, type Millis } from './units.ts';

/**
 * What this node is to the carrier, RFC 9234: customer of a transit carrier, peer, or client of a route server. none: no
 * role is told, and none is expected.
 */
export type SessionRole = 'none' | 'customer' | 'peer' | 'rs_client';

/**
 * aware: helps a carrier that restarts, and is itself gone at once when it dies; on: asks the carrier to keep our routes
 * over a restart of BIRD, for up to two minutes after a death too; off: neither (RFC 4724).
 */
export type GracefulRestart = 'aware' | 'on' | 'off';

/** What BIRD does with routes beyond a limit. block: takes no more and keeps the session. */
export type LimitAction = 'block' | 'restart' | 'disable' | 'warn';

/** Most routes of a channel; null: what follows from `import` and the prefixes. */
export interface RouteLimits {
  /** Before the import policy; null: none. */
  readonly receive: number | null;
  /** After the import policy. */
  readonly import: number | null;
  readonly export: number | null;
  readonly action: LimitAction;
}

/** Algorithms of TCP-AO: the two of RFC 5926, and the two further ones that BIRD and Linux have. */
export type AoAlgorithm = 'cmac-aes128' | 'hmac-sha1' | 'hmac-sha256' | 'hmac-sha512';

/** One key of TCP-AO (RFC 5925). The first of the list is the one that is sent with. */
export interface AoKey {
  /** Key id, 0 to 255, of both directions. */
  readonly id: number;
  readonly secretFile: string;
  readonly algorithm: AoAlgorithm;
}

export interface SessionOptions {
  readonly holdSeconds: number;
  readonly keepaliveSeconds: number;
  readonly role: SessionRole;
  /** GTSM, RFC 5082: only what comes from the given number of hops is taken. Both ends or neither. */
  readonly ttlSecurity: boolean;
  /** Whether each path has to begin with the carrier's AS number; a route server's does not. */
  readonly enforceFirstAs: boolean;
  readonly gracefulRestart: GracefulRestart;
  readonly limits: RouteLimits;
  /** Pace of BFD, both ways (RFC 5880). */
  readonly bfdIntervalMillis: Millis;
  /** Intervals without an answer after which BFD takes the session down. */
  readonly bfdMultiplier: number;
  /** Empty: no TCP-AO. */
  readonly aoKeys: readonly AoKey[];
}

/** What stands where a config says nothing. BFD of 3 × 1 s: faster timers flap on virtual machines that stall. */
export const defaultSession: SessionOptions = {
  holdSeconds: 30,
  keepaliveSeconds: 10,
  role: 'none',
  ttlSecurity: false,
  enforceFirstAs: true,
  gracefulRestart: 'aware',
  limits: { receive: null, import: null, export: null, action: 'block' },
  bfdIntervalMillis: millis(1000),
  bfdMultiplier: 3,
  aoKeys: [],
};
