/**
 * From a message of beacons to what is counted. Addresses end here: what stays of one is a hash of its /24 or /48 under a
 * key that is made at each start and never stored, so that one network can be told from another for an hour, and nobody.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { type Address, formatSubnet, subnetOf } from '../address.ts';
import { clientOf } from '../decision/decide.ts';
import type { ServiceParts } from '../service/service.ts';
import type { Beacon, beaconBatch } from './beacon.ts';
import type { Collector } from './collector.ts';
import type { RumConfig } from './config.ts';
import { type Segment, segmentOfClient, segmentOfFacts } from './segment.ts';

/** browser: judged by its address; edge: knows its users, and is believed. */
export type From =
  | { readonly kind: 'browser'; readonly address: Address }
  | { readonly kind: 'edge'; readonly name: string };

/** What became of a beacon. */
export type Fate = 'counted' | 'capped' | 'full' | 'limited' | 'sampled-out' | 'unknown-carrier';
export const fates: readonly Fate[] = [
  'counted',
  'capped',
  'full',
  'limited',
  'sampled-out',
  'unknown-carrier',
];

export interface Counted {
  readonly segment: Segment;
  readonly carrier: string;
  readonly rttMillis: number | null;
}

const mostNetworks = 50_000;
const minuteMillis = 60_000;
/** An edge speaks for many users. */
const edgeFactor = 100;

export class Intake {
  readonly totals = new Map<Fate, number>(fates.map((fate) => [fate, 0]));
  private readonly key = randomBytes(32);
  private readonly config: RumConfig;
  private readonly collector: Collector;
  private readonly parts: () => Pick<ServiceParts, 'rules' | 'networks' | 'lookup'>;
  private readonly counted: (one: Counted, nowMillis: number) => void;
  private readonly random: () => number;
  private minute = 0;
  private readonly inMinute = new Map<string, number>();

  /** `counted` hears of each beacon that counts; `random` gives 0…1. */
  constructor(
    config: RumConfig,
    collector: Collector,
    parts: () => Pick<ServiceParts, 'rules' | 'networks' | 'lookup'>,
    counted: (one: Counted, nowMillis: number) => void,
    random: () => number = Math.random,
  ) {
    this.config = config;
    this.collector = collector;
    this.parts = parts;
    this.counted = counted;
    this.random = random;
  }

  take(batch: z.output<typeof beaconBatch>, from: From, nowMillis: number): readonly Fate[] {
    const carriers = new Set([...this.parts().rules.targets.values()].map(({ carrier }) => carrier));
    return batch.beacons.map((beacon) => {
      const fate = this.one(beacon, from, carriers, nowMillis);
      this.totals.set(fate, (this.totals.get(fate) ?? 0) + 1);
      return fate;
    });
  }

  private one(beacon: Beacon, from: From, carriers: ReadonlySet<string>, nowMillis: number): Fate {
    const source = this.sourceOf(from, beacon.source ?? '');
    if (!this.mayPass(from.kind === 'edge' ? from.name : source, from.kind, nowMillis)) return 'limited';
    if (!carriers.has(beacon.carrier)) return 'unknown-carrier';
    if (this.random() >= this.config.sample) return 'sampled-out';
    const one: Counted = {
      segment: this.segmentOf(beacon, from),
      carrier: beacon.carrier,
      rttMillis: beacon.rttMillis ?? null,
    };
    const fate = this.collector.add({ ...one, source }, nowMillis);
    if (fate === 'counted') this.counted(one, nowMillis);
    return fate;
  }

  private segmentOf(beacon: Beacon, from: From): Segment {
    const { networks, lookup } = this.parts();
    if (from.kind === 'browser')
      return segmentOfClient(clientOf(networks, from.address, lookup(from.address)));
    return segmentOfFacts(networks, {
      asn: beacon.asn ?? null,
      country: beacon.country ?? null,
      subdivision: beacon.subdivision ?? null,
      continent: beacon.continent ?? null,
    });
  }

  private sourceOf(from: From, word: string): string {
    const text =
      from.kind === 'edge'
        ? `${from.name} ${word}`
        : formatSubnet(subnetOf(from.address, from.address.family === 4 ? 24 : 48));
    return createHmac('sha256', this.key).update(text).digest('base64url').slice(0, 12);
  }

  private mayPass(name: string, kind: From['kind'], nowMillis: number): boolean {
    const minute = Math.floor(nowMillis / minuteMillis);
    if (minute !== this.minute) {
      this.minute = minute;
      this.inMinute.clear();
    }
    const said = this.inMinute.get(name) ?? 0;
    if (said >= this.config.per_network * (kind === 'edge' ? edgeFactor : 1)) return false;
    if (said === 0 && this.inMinute.size >= mostNetworks) return false;
    this.inMinute.set(name, said + 1);
    return true;
  }
}
