/** The node's config after loading: units resolved, defaults filled in, lists in the file's order. */
import type { Community } from './community.ts';
import type { EdgeConfig } from './edge-config.ts';
import type { FleetConfig } from './fleet-config.ts';
import type { GeoDnsConfig } from './geodns-config.ts';
import type { MaintenanceWindow } from './maintenance.ts';
import type { DnsAsk, HttpAsk, ProbeEngine } from './outcome.ts';
import type { LookingGlass } from './looking-glass.ts';
import type { Policy } from './policy.ts';
import type { SessionOptions } from './session-options.ts';
import type { ReadyCheck } from './ready-check.ts';
import type { Asn, Family, Millis, PerFamily } from './units.ts';
import type { Webhook } from './webhook.ts';

export type Mode = 'observe' | 'live';

export interface NodeConfig {
  readonly mode: Mode;
  readonly node: NodeIdentity;
  readonly bird: BirdConfig;
  readonly services: readonly Service[];
  readonly uplinks: readonly Uplink[];
  readonly policy: Policy;
  /** Who sends the echoes. */
  readonly probeEngine: ProbeEngine;
  readonly guards: Guards;
  readonly onStop: OnStop;
  /** hold: services with a check come up withdrawn after a reboot, until they are ready. */
  readonly onBoot: 'as-left' | 'hold';
  readonly maintenance: readonly MaintenanceWindow[];
  /** null: the node stands alone. */
  readonly fleet: FleetConfig | null;
  /** null: no GeoDNS is told. */
  readonly geodns: GeoDnsConfig | null;
  readonly webhooks: readonly Webhook[];
  readonly http: HttpConfig;
  /** null: no edge is told anything. */
  readonly edge: EdgeConfig | null;
  readonly paths: {
    readonly state: string;
    readonly control: string;
    /** What the edge reads at its start, and the socket on which it is told. */
    readonly edge: { readonly file: string; readonly socket: string };
  };
  /** Recordings for replays, all together at most this large; null: none are kept. */
  readonly record: { readonly sizeBytes: number } | null;
  /** Decides beside the live policy and is never acted on; null: none. */
  readonly shadow: { readonly policy: Policy } | null;
}

/** What an orderly stop of the daemon does with what is announced. */
export interface OnStop {
  readonly do: 'keep' | 'drain' | 'withdraw';
  /** How long a drain waits for traffic to fall, and a withdrawal for its read-back; then the daemon ends anyway. */
  readonly deadlineMillis: Millis;
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  /** Holds the token that writes over the port need; null: writes come over the control socket alone. */
  readonly tokenFile: string | null;
}

export interface NodeIdentity {
  readonly name: string;
  readonly site: string;
  readonly asn: Asn;
  /** Dotted quad; BIRD's router id. */
  readonly routerId: string;
}

export interface BirdConfig {
  /** BIRD's control socket; not used where `command` is given. */
  readonly socket: string;
  /** Program and first words of what runs birdc where the socket is out of reach; null: the socket is used. */
  readonly command: readonly [string, ...string[]] | null;
  /** Names of the operator's sessions by `uplinkKey` (cmi4), while those are not Causeway's yet. */
  readonly adopt: ReadonlyMap<string, string>;
  /** The one file that Causeway owns. */
  readonly config: string;
  /** include: the operator's bird.conf includes the owned file; whole: the owned file is all of it. */
  readonly layout: 'include' | 'whole';
  /** Cache of validated route origins; null: origins are not checked. */
  readonly rpki: Rpki | null;
}

/** A cache that BIRD reads with RTR over TCP (RFC 8210). */
export interface Rpki {
  readonly server: string;
  readonly port: number;
}

export interface Service {
  readonly name: string;
  /** Canonical text (no host bits, IPv6 compressed lower case), in the file's order. */
  readonly prefixes: readonly ServicePrefix[];
  /** All must be ready for the service to be; empty: it always is. */
  readonly ready: readonly ReadyCheck[];
  /** What a service that is not ready does where no fleet is configured. */
  readonly alone: 'drain' | 'withdraw';
  /**
   * What is other on single uplinks, by name, in the file's order. An uplink that is not named announces the service too,
   * with its own med, prepend and communities.
   */
  readonly uplinks: ReadonlyMap<string, ServiceUplink>;
  /** best: answers leave by the best healthy uplink; by-source: by the uplinks named in `uplinks`, while they are good. */
  readonly egress: 'best' | 'by-source';
}

/** A service on one uplink. null and absent lists: as the uplink has it. */
export interface ServiceUplink {
  /** backup: drained unless it is needed. */
  readonly state: 'announce' | 'backup';
  readonly med: number | null;
  readonly prepend: number | null;
  readonly communities: readonly Community[] | null;
  readonly drainCommunities: readonly Community[] | null;
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
  /** Kernel routing table of what is learnt here, for services that answer by source. */
  readonly egressTable: number;
  readonly localPref: number;
  readonly med: number;
  readonly prepend: number;
  /** Added to what is announced here. */
  readonly communities: readonly Community[];
  /** Added to what is drained here, in place of `communities`. */
  readonly drainCommunities: readonly Community[];
  readonly import: 'default' | 'full' | 'none';
  /** Bits per second that the uplink carries; null: not known, so that nothing is held for it. */
  readonly capacityBits: number | null;
  readonly targets: readonly Target[];
  readonly probe: ProbePolicy;
  /** Absent: nobody is asked what is seen beyond the carrier. */
  readonly lookingGlass?: LookingGlass;
}

export interface Peer {
  readonly asn: Asn;
  readonly address: PerFamily<string>;
  readonly passwordFile: string | null;
  /** Hops of the session; null: directly connected. */
  readonly multihop: number | null;
  readonly bfd: boolean;
  readonly session: SessionOptions;
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
  /** HTTP request and DNS question that are sent besides; none where they are left out. */
  readonly http?: HttpAsk & { readonly port: number };
  readonly dns?: DnsAsk & { readonly port: number };
  /** Its own pace; the uplink's where it is left out. */
  readonly probe?: Partial<ProbePolicy>;
}

/** Pace of the probes of one target and kind. */
export interface ProbePolicy {
  readonly intervalMillis: Millis;
  readonly timeoutMillis: Millis;
  /** Time between two echoes that fill the link, for each pinged target; left out: none are sent. */
  readonly fullSizeMillis?: Millis;
}

export interface Guards {
  /** Announcements of a service and family that link verdicts must leave on this node. */
  readonly keepUplinks: number;
  /** Announcing nodes of a service that must remain in the fleet. */
  readonly keepNodes: number;
  readonly togetherMillis: Millis;
  /** Uplink events, each a withdrawal by a link verdict, that may come within the window. */
  readonly maxWithdrawals: { readonly count: number; readonly windowMillis: Millis };
  /** Whose damping the changes must stay below. */
  readonly flapBudget: FlapModelName;
}

export type FlapModelName = 'cisco' | 'juniper' | 'rfc7196' | 'off';
