/**
 * Whether an access network, ASN or carrier has lost half of its share: then the map, the client subnets or a carrier is
 * broken, even though every probe is well. Usual is the median of the same hour on the days before, since networks of
 * different countries sleep at different times. Pure.
 */
import type { Day, TrafficRow } from './day.ts';

export interface UsualRules {
  /** Days that are looked back on, and how many of them must have had traffic in this hour. */
  readonly days: number;
  readonly leastDays: number;
  /** Requests that the usual share would have brought by now: below this chance speaks. */
  readonly leastRequests: number;
}

export const usualRules: UsualRules = { days: 7, leastDays: 3, leastRequests: 500 };

export interface Halved {
  readonly kind: 'network' | 'asn' | 'carrier';
  readonly name: string;
  readonly hour: number;
  readonly share: number;
  readonly usualShare: number;
}

type Hours = ReadonlyMap<string, number>;

/** `before`: earlier days, the latest first. `hour`: of the day, UTC. */
export function halvedShares(
  today: Day,
  before: readonly Day[],
  hour: number,
  rules: UsualRules = usualRules,
): readonly Halved[] {
  const earlier = before
    .slice(0, rules.days)
    .map((day) => sharesAt(day, hour))
    .filter(({ total }) => total > 0);
  if (earlier.length < rules.leastDays) return [];
  const now = sharesAt(today, hour);
  const names = new Set(earlier.flatMap(({ byName }) => [...byName.keys()]));
  return [...names].sort().flatMap((text): readonly Halved[] => {
    const usualShare = median(earlier.map(({ byName, total }) => (byName.get(text) ?? 0) / total));
    const share = now.total === 0 ? 0 : (now.byName.get(text) ?? 0) / now.total;
    if (usualShare * now.total < rules.leastRequests || share >= usualShare / 2) return [];
    const [kind, name = ''] = text.split(' ');
    if (kind !== 'network' && kind !== 'asn' && kind !== 'carrier') return [];
    return [{ kind, name, hour, share, usualShare }];
  });
}

function sharesAt(day: Day, hour: number): { readonly byName: Hours; readonly total: number } {
  const byName = new Map<string, number>();
  let total = 0;
  for (const row of day.traffic.values()) {
    const count = row.hours[hour] ?? 0;
    total += count;
    for (const name of namesOf(row)) byName.set(name, (byName.get(name) ?? 0) + count);
  }
  return { byName, total };
}

function namesOf({ network, asn, carrier }: TrafficRow): readonly string[] {
  return [
    `network ${network}`,
    ...(asn === null ? [] : [`asn ${asn}`]),
    ...(carrier === null ? [] : [`carrier ${carrier}`]),
  ];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** A sentence for an alarm. */
export function halvedText({ kind, name, hour, share, usualShare }: Halved): string {
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  return `${kind} ${name} has ${percent(share)} of the requests since ${String(hour).padStart(2, '0')}:00 UTC; usual is ${percent(usualShare)}`;
}
