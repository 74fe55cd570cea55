/** What the prober process says of each probe, and the messages between it and the daemon. */
import type { Family, Instant, Millis } from './units.ts';

export type ProbeKind = 'icmp' | 'tcp';
/** target: beyond the carrier, decides; gateway: the carrier's next hop, only attributes. */
export type ProbeClass = 'target' | 'gateway';

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
  'self-test-failed',
] as const;
export type NotRunReason = (typeof notRunReasons)[number];

/** Of one probe. `refused` and the like are answers: the path works. */
export type Outcome =
  | { readonly kind: 'answered'; readonly rttMillis: Millis }
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
  /** Of TCP; 0 for ICMP. */
  readonly port: number;
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
