/** The node's config after loading: units resolved, defaults filled in, lists in the file's order. */
import type { Policy } from './policy.ts';
import type { Asn, Family, Millis, PerFamily } from './units.ts';

export type Mode = 'observe' | 'live';

export interface NodeConfig {
  readonly mode: Mode;
  readonly node: NodeIdentity;
  readonly bird: BirdConfig;
  readonly services: readonly Service[];
  readonly uplinks: readonly Uplink[];
  readonly policy: Policy;
  readonly guards: Guards;
  readonly onStop: 'keep';
  readonly http: { readonly host: string; readonly port: number };
  readonly paths: { readonly state: string; readonly control: string };
}

export interface NodeIdentity {
  readonly name: string;
  readonly site: string;
  readonly asn: Asn;
  /** Dotted quad; BIRD's router id. */
  readonly routerId: string;
}

export interface BirdConfig {
  /** BIRD's control socket. */
  readonly socket: string;
  /** The one file that Causeway owns. */
  readonly config: string;
  /** include: the operator's bird.conf includes the owned file; whole: the owned file is all of it. */
  readonly layout: 'include' | 'whole';
}

export interface Service {
  readonly name: string;
  /** Canonical text (no host bits, IPv6 compressed lower case), in the file's order. */
  readonly prefixes: readonly ServicePrefix[];
}

export interface ServicePrefix {
  readonly family: Family;
  readonly text: string;
}

export interface Uplink {
  readonly name: string;
  readonly carrier: string;
  readonly interface: string;
  readonly source: PerFamily<string>;
  readonly peer: Peer;
  /** Next hop of the probing table; the peer unless it is given. */
  readonly gateway: PerFamily<string>;
  /** Kernel routing table of this uplink. */
  readonly table: number;
  readonly localPref: number;
  readonly med: number;
  readonly prepend: number;
  readonly import: 'default' | 'full' | 'none';
  readonly targets: readonly Target[];
  readonly probe: ProbePolicy;
}

export interface Peer {
  readonly asn: Asn;
  readonly address: PerFamily<string>;
  readonly passwordFile: string | null;
  /** Hops of the session; null: directly connected. */
  readonly multihop: number | null;
  readonly bfd: boolean;
}

/** One address that is probed through an uplink; a target with both families in the file becomes two of these. */
export interface Target {
  readonly name: string;
  readonly region: string;
  readonly family: Family;
  readonly address: string;
  /** Whether ICMP echo is sent. */
  readonly ping: boolean;
  /** Port of the TCP handshake probe; null: none. */
  readonly tcpPort: number | null;
}

/** Pace of the probes of one target and kind. */
export interface ProbePolicy {
  readonly intervalMillis: Millis;
  readonly timeoutMillis: Millis;
}

export interface Guards {
  readonly keepUplinks: number;
  readonly togetherMillis: Millis;
}
