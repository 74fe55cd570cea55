/** Shares of a day, for people and spreadsheets: by access network, ASN and carrier. Pure. */
import {
  emptyHistogram,
  failureShare,
  countOf,
  type Histogram,
  quantileMillis,
} from '../steering/histogram.ts';
import { type Day, plus, type RumRow, type Sums, type TrafficRow } from './day.ts';

export interface Share {
  readonly network: string;
  readonly asn: number | null;
  readonly carrier: string | null;
  readonly requests: number;
  readonly bytes: number;
  /** Of the day's requests and bytes, 0…1. */
  readonly requestShare: number;
  readonly byteShare: number;
  /** Mean time of a request, ms; null: there was none. */
  readonly meanMillis: number | null;
  readonly cacheHits: number;
  readonly originErrors: number;
  readonly limited: number;
  /** Of beacons; null where there are none. */
  readonly beacons: number;
  readonly rttP50Millis: number | null;
  readonly rttP95Millis: number | null;
  readonly failureShare: number | null;
}

const none: Sums = { requests: 0, bytes: 0, seconds: 0, cacheHits: 0, originErrors: 0, limited: 0 };

/** All nodes together; the greatest share first. */
export function sharesOf(day: Day): readonly Share[] {
  const traffic = new Map<string, { readonly row: TrafficRow; sums: Sums }>();
  for (const row of day.traffic.values()) {
    const key = keyOf(row);
    const before = traffic.get(key)?.sums ?? none;
    traffic.set(key, { row, sums: plus(before, row.sums) });
  }
  const rum = new Map([...day.rum.values()].map((row) => [keyOf(row), row]));
  const all = [...traffic.values()].reduce((sum, { sums }) => plus(sum, sums), none);
  const keys = [...new Set([...traffic.keys(), ...rum.keys()])];
  return keys
    .map((key) => shareOf(traffic.get(key), rum.get(key), all))
    .sort((a, b) => b.requests - a.requests || b.beacons - a.beacons || compareText(nameOf(a), nameOf(b)));
}

function keyOf({ network, asn, carrier }: Pick<Share, 'network' | 'asn' | 'carrier'>): string {
  return `${network} ${asn} ${carrier}`;
}

const nameOf = keyOf;

function compareText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function shareOf(
  traffic: { readonly row: TrafficRow; readonly sums: Sums } | undefined,
  rum: RumRow | undefined,
  all: Sums,
): Share {
  const sums = traffic?.sums ?? none;
  const of = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const histogram = histogramOf(rum);
  const beacons = countOf(histogram);
  const known = <T>(value: T): T | null => (beacons === 0 ? null : value);
  return {
    network: traffic?.row.network ?? rum?.network ?? 'unknown',
    asn: traffic?.row.asn ?? rum?.asn ?? null,
    carrier: traffic?.row.carrier ?? rum?.carrier ?? null,
    requests: sums.requests,
    bytes: sums.bytes,
    requestShare: of(sums.requests, all.requests),
    byteShare: of(sums.bytes, all.bytes),
    meanMillis: sums.requests === 0 ? null : (1000 * sums.seconds) / sums.requests,
    cacheHits: sums.cacheHits,
    originErrors: sums.originErrors,
    limited: sums.limited,
    beacons,
    rttP50Millis: known(quantileMillis(histogram, 0.5)),
    rttP95Millis: known(quantileMillis(histogram, 0.95)),
    failureShare: known(failureShare(histogram)),
  };
}

function histogramOf(row: RumRow | undefined): Histogram {
  const histogram = emptyHistogram();
  for (const [bucket, count] of Object.entries(row?.buckets ?? {})) {
    const index = Number(bucket);
    if (index < histogram.length) histogram[index] = count;
  }
  return histogram;
}

const columns = [
  'day',
  'network',
  'asn',
  'carrier',
  'requests',
  'request_share',
  'bytes',
  'byte_share',
  'mean_ms',
  'cache_hits',
  'origin_errors',
  'limited',
  'beacons',
  'rtt_p50_ms',
  'rtt_p95_ms',
  'failure_share',
];

/** RFC 4180, with a head. Names and numbers only, so nothing needs quotes. */
export function csvOf(day: string, shares: readonly Share[]): string {
  const fixed = (value: number | null, digits: number): string => value?.toFixed(digits) ?? '';
  const lines = shares.map((one) =>
    [
      day,
      one.network,
      one.asn ?? '',
      one.carrier ?? '',
      one.requests,
      fixed(one.requestShare, 6),
      one.bytes,
      fixed(one.byteShare, 6),
      fixed(one.meanMillis, 1),
      one.cacheHits,
      one.originErrors,
      one.limited,
      one.beacons,
      fixed(one.rttP50Millis, 1),
      fixed(one.rttP95Millis, 1),
      fixed(one.failureShare, 4),
    ].join(','),
  );
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
