/**
 * A day of traffic and of beacons by access network, ASN, carrier and node. Days are those of UTC. Pure: sums come in, sums
 * go out; the number of keys is bounded, and what does not fit is under `other`, so that totals stay right.
 */
import { z } from 'zod';
import type { EdgeRow } from '../../src/types/wire/edge-to-geodns.ts';

export interface TrafficKey {
  readonly network: string;
  readonly asn: number | null;
  /** Carrier that the node had up for the network when it told, by the network's order; null: none. */
  readonly carrier: string | null;
  readonly node: string;
}

const sums = z.object({
  requests: z.number(),
  bytes: z.number(),
  seconds: z.number(),
  cacheHits: z.number(),
  originErrors: z.number(),
  limited: z.number(),
});
export type Sums = z.output<typeof sums>;

const trafficRow = z.object({
  network: z.string(),
  asn: z.number().nullable(),
  carrier: z.string().nullable(),
  node: z.string(),
  sums,
  /** Requests by hour of the day. */
  hours: z.array(z.number()).length(24),
});
export type TrafficRow = z.output<typeof trafficRow>;

const rumRow = z.object({
  network: z.string(),
  asn: z.number().nullable(),
  carrier: z.string(),
  /** Bucket of histogram.ts → count. */
  buckets: z.record(z.string(), z.number()),
});
export type RumRow = z.output<typeof rumRow>;

export const dayFile = z.object({
  schema: z.literal(1),
  day: z.iso.date(),
  traffic: z.array(trafficRow),
  rum: z.array(rumRow),
});

/** By key; the holder may add to it. */
export interface Day {
  readonly day: string;
  readonly traffic: Map<string, TrafficRow>;
  readonly rum: Map<string, RumRow>;
}

export const mostRows = 10_000;

export function dayOf(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10);
}

export function emptyDay(day: string): Day {
  return { day, traffic: new Map(), rum: new Map() };
}

export function addTraffic(day: Day, key: TrafficKey, row: EdgeRow, hour: number): void {
  const text = `${key.network} ${key.asn} ${key.carrier} ${key.node}`;
  const fits = day.traffic.has(text) || day.traffic.size < mostRows;
  const place = fits ? text : 'other';
  const before: TrafficRow = day.traffic.get(place) ?? {
    ...(fits ? key : { network: 'other', asn: null, carrier: null, node: 'other' }),
    sums: { requests: 0, bytes: 0, seconds: 0, cacheHits: 0, originErrors: 0, limited: 0 },
    hours: Array.from({ length: 24 }, () => 0),
  };
  day.traffic.set(place, {
    ...before,
    sums: plus(before.sums, row),
    hours: before.hours.map((count, at) => (at === hour ? count + row.requests : count)),
  });
}

/** All counts of two stretches together. */
export function plus(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    bytes: a.bytes + b.bytes,
    seconds: a.seconds + b.seconds,
    cacheHits: a.cacheHits + b.cacheHits,
    originErrors: a.originErrors + b.originErrors,
    limited: a.limited + b.limited,
  };
}

export function addBeacon(
  day: Day,
  { network, asn, carrier }: Omit<RumRow, 'buckets'>,
  bucket: number,
): void {
  const text = `${network} ${asn} ${carrier}`;
  const fits = day.rum.has(text) || day.rum.size < mostRows;
  const place = fits ? text : `other ${carrier}`;
  const row = day.rum.get(place) ?? {
    ...(fits ? { network, asn } : { network: 'other', asn: null }),
    carrier,
    buckets: {},
  };
  row.buckets[bucket] = (row.buckets[bucket] ?? 0) + 1;
  day.rum.set(place, row);
}

/** What is written, and read again at a start. */
export function dayText(day: Day): string {
  const file: z.input<typeof dayFile> = {
    schema: 1,
    day: day.day,
    traffic: [...day.traffic.values()],
    rum: [...day.rum.values()],
  };
  return `${JSON.stringify(file)}\n`;
}

/** undefined: not a day of this version, or not whole. */
export function readDay(text: string): Day | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = dayFile.safeParse(value);
  if (!parsed.success) return undefined;
  const { day, traffic, rum } = parsed.data;
  return {
    day,
    traffic: new Map(traffic.map((row) => [`${row.network} ${row.asn} ${row.carrier} ${row.node}`, row])),
    rum: new Map(rum.map((row) => [`${row.network} ${row.asn} ${row.carrier}`, row])),
  };
}
