/** What the prober process says of each probe, and the messages between it and the daemon. */
import type { Family, Instant, Millis } from './units.ts';

/** icmp: echo; tcp: handshake; http: first byte of an answer; dns: a question; mtu: echo that fills the link, unfragmented. */
export const probeKinds = ['icmp', 'tcp', 'http', 'dns', 'mtu'] as const;
export type ProbeKind = (typeof probeKinds)[number];

/** What an HTTP probe asks at the task's address and port. */
export interface HttpAsk {
  readonly tls: boolean;
  /** Host header, and the name that the certificate must have; null: the address. */
  readonly host: string | null;
  /** Path and query. */
  readonly path: string;
  /** The one status that is right; null: 200 to 399. */
  readonly status: number | null;
}

export const dnsTypes = ['A', 'AAAA', 'NS', 'SOA', 'TXT'] as const;

/** What a DNS probe asks the server at the task's address and port. */
export interface DnsAsk {
  readonly name: string;
  readonly type: (typeof dnsTypes)[number];
}
/** icmp-socket: the kernel's own ICMP sockets; net-ping: raw sockets of the package of that name. */
export const probeEngines = ['icmp-socket', 'net-ping'] as const;
export type ProbeEngine = (typeof probeEngines)[number];
/** target: beyond the carrier, decides; gateway: the carrier's next hop, only attributes; origin: of the edge, no part of health. */
export type ProbeClass = 'target' | 'gateway' | 'origin';

/** Why a probe says nothing about the path: our own machine's fault, so it never counts against anyone. */
export const notRunReasons = [
  'interface-missing',
  'interface-down',
  'source-missing',
  'route-missing',
  'wrong-uplink',
  'send-failed',
  'send-queue',
  'loop-lag',
  'suspended',
  'self-test-failed',
] as const;
export type NotRunReason = (typeof notRunReasons)[number];

/**
 * Of one probe. `refused` and the like are answers: the path works. `wrong`: what was not right about an answer, such
 * as `status 503`, `tls CERT_HAS_EXPIRED` or `rcode SERVFAIL`: the target's matter, and no loss.
 */
export type Outcome =
  | { readonly kind: 'answered'; readonly rttMillis: Millis; readonly wrong?: string }
  | { readonly kind: 'lost' }
  | { readonly kind: 'not-run'; readonly why: NotRunReason; readonly errno?: string };

/** One stream of probes: an uplink, a target's address and a kind, at a steady pace. */
export interface ProbeTask {
  /** Names the stream in samples; unique within a plan. */
  readonly id: number;
  readonly uplink: string;
  readonly interface: string;
  readonly source: string;
  readonly family: Family;
  readonly address: string;
  /** Name of the target; of a gateway `gateway`. */
  readonly target: string;
  readonly region: string;
  readonly class: ProbeClass;
  readonly kind: ProbeKind;
  /** Of TCP, HTTP and DNS; 0 for ICMP. */
  readonly port: number;
  /** Of HTTP and DNS alone. */
  readonly http?: HttpAsk;
  readonly dns?: DnsAsk;
  readonly intervalMillis: Millis;
  readonly timeoutMillis: Millis;
}

/** One probe's outcome; decided ones only, each sent once. */
export interface Sample {
  readonly task: number;
  readonly sentAt: Instant;
  readonly outcome: Outcome;
}

/** From the prober child to the daemon. */
export type ProberMessage =
  | { readonly kind: 'ready'; readonly engine: string; readonly pid: number }
  | {
      readonly kind: 'samples';
      /** The plan that the tasks' ids belong to; absent: before any plan. */
      readonly plan?: number;
      readonly at: Instant;
      readonly samples: readonly Sample[];
      /** Late, duplicate and foreign replies since the last message. */
      readonly strays: number;
      /** Longest delay of the prober's own event loop since the last message. */
      readonly lagMillis: Millis;
      /** Its own memory and CPU, for the status page. */
      readonly rssBytes: number;
      readonly cpuMicros: number;
    }
  | { readonly kind: 'unable'; readonly code: string; readonly text: string };

/** From the daemon to the prober child. A plan replaces the one before; streams that stay keep their pace. */
export type ProberCommand =
  | {
      readonly kind: 'plan';
      /** Counts plans, so that samples of an earlier one are not read with the ids of a later one. */
      readonly plan?: number;
      readonly tasks: readonly ProbeTask[];
    }
  | { readonly kind: 'link-changed' }
  | { readonly kind: 'stop' };
