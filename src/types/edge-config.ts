/** `edge`: what the nginx on this node is told, after loading. */
import type { Family, Millis } from './units.ts';

export interface EdgeConfig {
  /** Terminal host of this node, to which other nodes' edges redirect; perhaps with a port. */
  readonly host: string;
  /** Share of redirected users among nodes of like score; 0: none are sent here. */
  readonly weight: number;
  /** What the edge is told holds this long without being renewed; then it redirects nobody. */
  readonly ttlMillis: Millis;
  readonly probe: OriginProbe;
  readonly pools: readonly OriginPool[];
}

/** How an origin is judged over one uplink: handshakes in a row. */
export interface OriginProbe {
  readonly intervalMillis: Millis;
  readonly timeoutMillis: Millis;
  readonly rise: number;
  readonly fall: number;
}

export interface OriginPool {
  readonly name: string;
  readonly origins: readonly Origin[];
}

export interface Origin {
  readonly family: Family;
  /** Canonical text. */
  readonly address: string;
  readonly port: number;
  readonly weight: number;
  /** Uplinks through which it is probed; one that reaches it is enough. */
  readonly via: readonly string[];
}
