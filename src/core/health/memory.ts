/**
 * What health remembers between ticks. `observe` and `judge` change it in place and hand it back: whoever passes a
 * memory in gives it up and goes on with the returned one. To keep a copy, take a checkpoint.
 */
import type { HealthReason, HealthState } from '../../types/wire/enums.ts';
import type { UplinkHealth, VerdictSubject } from '../../types/health.ts';
import type { NotRunReason, ProbeKind, ProbeTask } from '../../types/outcome.ts';
import type { Policy } from '../../types/policy.ts';
import type { Family, Instant, Millis } from '../../types/units.ts';
import type { CellRing } from './cell-ring.ts';
import type { FullSize } from './full-size.ts';
import type { PoolScale, PoolTest } from './pool-test.ts';
import type { Shared } from './relative.ts';
import type { RoundTrips } from './round-trips.ts';
import type { RttHistogram } from './rtt-histogram.ts';

/** One target's address (or the gateway) through one uplink; ICMP and TCP together. */
export interface Stream {
  readonly name: string;
  readonly address: string;
  readonly region: string;
  readonly class: ProbeTask['class'];
  /** Since when it is in the plan. */
  plannedAt: Instant;
  /** Sent time of the latest answered or lost probe, and of the latest that did not run; null: none yet. */
  lastCountedAt: Instant | null;
  lastNotRunAt: Instant | null;
  lastNotRunWhy: NotRunReason | null;
  readonly trips: RoundTrips;
  readonly full: FullSize;
  /** Answers and losses of ICMP and TCP, older ones fading, to tell what a fault is like. */
  readonly recentKinds: RecentKinds;
}

/** Changed in place. */
export type RecentKinds = Record<'icmp' | 'tcp', { answered: number; lost: number }>;

/** What a subject shows; the sentence is made when it changes and stays until it changes again. */
export interface Shown {
  readonly health: HealthState;
  readonly reason: HealthReason;
  readonly text: string;
  readonly since: Instant;
}

/** Something that has a verdict: a target, a region, the gateway or the uplink. */
export interface Subject {
  readonly who: VerdictSubject;
  readonly streams: readonly number[];
  /** Targets that its verdict takes at least. */
  readonly targetsNeeded: number;
  readonly loss: PoolTest;
  readonly slow: PoolTest;
  /** What decided the loss test last. */
  failedBy: 'loss' | 'regions' | 'link-down';
  /** What decided the slow test last. */
  slowBy: 'latency' | 'jitter';
  /** The sentences of the latest decisions. */
  readonly why: { loss: string; slow: string };
  /** First and latest closed cell with counted probes of this observation; null: none yet. */
  observedFrom: number | null;
  observedTo: number;
  /** Failed already when this observation began: the first window does not hide it. */
  failedBefore: boolean;
  shown: Shown;
  /** Round trips of the evidence's cells. */
  readonly rtts: RttHistogram;
}

export interface Region {
  readonly name: string;
  readonly subject: Subject;
}

/** All that belongs to one uplink and family. */
export interface Group {
  readonly uplink: string;
  readonly family: Family;
  readonly interface: string;
  readonly cellMillis: Millis;
  readonly timeoutMillis: Millis;
  /** Without counted probes for this long it is silent. */
  readonly silentMillis: Millis;
  readonly scale: PoolScale;
  readonly streams: readonly Stream[];
  readonly ring: CellRing;
  /** Sums over the evidence's cells, per stream. */
  readonly recent: {
    readonly answered: Uint32Array;
    readonly lost: Uint32Array;
    readonly notRun: Uint32Array;
  };
  /** The first cell of each stream that counts for the uplink: earlier ones were its region's or its own matter. */
  readonly countsFrom: { readonly loss: Float64Array; readonly slow: Float64Array };
  readonly uplinkSubject: Subject;
  readonly gateway: Subject | null;
  readonly regions: readonly Region[];
  readonly targets: ReadonlyMap<string, Subject>;
  /** The target of each stream; null: it is the gateway's. */
  readonly targetOf: readonly (Subject | null)[];
  /** The region of each stream; null: it is the gateway's. */
  readonly regionOf: readonly (Subject | null)[];
  /** Streams that the uplink's pools leave out at present, as a key. */
  readonly leftOut: { loss: string; slow: string };
  /** Streams whose targets are bad on every uplink. */
  readonly blamed: { loss: readonly number[]; slow: readonly number[] };
  /** What that was found from; empty: not yet. */
  readonly signs: { loss: string; slow: string };
  /** The last result; null: something in it has changed. */
  health: UplinkHealth | null;
}

/** Where the samples of a task go. */
export interface Place {
  readonly group: Group;
  readonly stream: number;
  readonly kind: ProbeKind;
}

export interface HealthMemory {
  readonly tasks: readonly ProbeTask[];
  readonly policy: Policy;
  readonly cellMillis: Millis;
  /** Time of the last judgement. */
  now: Instant;
  readonly groups: readonly Group[];
  /** Of each task's id. */
  readonly places: ReadonlyMap<number, Place>;
  readonly shared: readonly Shared[];
  /** Samples that came after their cell was closed, or from a task that is not in the plan. */
  ignored: number;
}

/** All that have a verdict; the uplink first, so that a log tells the consequence before the details. */
export function subjectsOf(group: Group): readonly Subject[] {
  const regions = group.regions.map((region) => region.subject);
  const gateway = group.gateway === null ? [] : [group.gateway];
  return [group.uplinkSubject, ...gateway, ...regions, ...group.targets.values()];
}
