/**
 * Whether one pool is really faster than another for the users of a rule. Beacons are claims, so what is compared are
 * bounds that hold although a share of them (`distrust`) lies: if a share e of a sample is false, the true median lies
 * between the sample's quantiles (1 - e)/2 and (1 + e)/2, wherever the liars put theirs. Segments are compared each for
 * itself, so that more beacons from a far country make no carrier slow.
 */
import { addInto, countOf, emptyHistogram, failureShare, quantileMillis } from './histogram.ts';
import type { Evidence } from './collector.ts';
import { segmentKey } from './segment.ts';

export interface Confidence {
  /** Share of beacons that may be false. */
  readonly distrust: number;
  /** Standard errors that a finding must be away from chance. */
  readonly deviations: number;
}

export interface Comparison {
  /** By how much the challenger's median round trip is shorter, ms: for sure, and likely. Negative: longer. */
  readonly surelyMillis: number;
  readonly likelyMillis: number;
  /** Likely median of the present pool, ms. */
  readonly presentMillis: number;
  /** By how much its share of failures is smaller (0…1): for sure, and likely. */
  readonly surelyFailures: number;
  readonly likelyFailures: number;
  /** Beacons and sources of the pool that has fewer of them. */
  readonly samples: number;
  readonly sources: number;
  /** Share of the rule's beacons in segments that have both. */
  readonly covered: number;
}

/** Evidence of one pool: of its carriers, a histogram for each segment. */
export type PoolEvidence = ReadonlyMap<string, Evidence>;

/** Carriers of one pool put together, by segment; a segment that lacks one of them says nothing of the pool. */
export function poolEvidence(evidence: readonly Evidence[], carriers: ReadonlySet<string>): PoolEvidence {
  const bySegment = new Map<string, Evidence>();
  const seen = new Map<string, number>();
  for (const one of evidence) {
    if (!carriers.has(one.carrier)) continue;
    const key = segmentKey(one.segment);
    const sum = bySegment.get(key) ?? { ...one, histogram: emptyHistogram(), sources: 0 };
    addInto(sum.histogram, one.histogram);
    bySegment.set(key, { ...sum, sources: sum.sources + one.sources });
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return new Map([...bySegment].filter(([key]) => seen.get(key) === carriers.size));
}

interface Sides {
  readonly weight: number;
  readonly present: Evidence;
  readonly challenger: Evidence;
}

const leastInSegment = 20;

/** null: no segment has enough beacons of both. */
export function compare(
  present: PoolEvidence,
  challenger: PoolEvidence,
  confidence: Confidence,
): Comparison | null {
  const sides: Sides[] = [];
  let all = 0;
  for (const key of new Set([...present.keys(), ...challenger.keys()])) {
    const [a, b] = [present.get(key), challenger.get(key)];
    const weight = (a ? countOf(a.histogram) : 0) + (b ? countOf(b.histogram) : 0);
    all += weight;
    if (a === undefined || b === undefined) continue;
    if (Math.min(countOf(a.histogram), countOf(b.histogram)) < leastInSegment) continue;
    sides.push({ weight, present: a, challenger: b });
  }
  const total = sides.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  const shares = sides.map((side) => Object.assign({}, side, { weight: side.weight / total }));
  return { ...times(shares, confidence), ...failures(shares, confidence), covered: total / all };
}

type Times = Pick<Comparison, 'surelyMillis' | 'likelyMillis' | 'presentMillis' | 'samples' | 'sources'>;

function times(sides: readonly Sides[], { distrust, deviations }: Confidence): Times {
  let [low, likely, presentMillis, variance] = [0, 0, 0, 0];
  for (const { weight, present, challenger } of sides) {
    const a = bounds(present, distrust);
    const b = bounds(challenger, distrust);
    low += weight * (a.low - b.high);
    likely += weight * (a.middle - b.middle);
    presentMillis += weight * a.middle;
    variance += weight ** 2 * (a.error ** 2 + b.error ** 2);
  }
  const sum = (of: (side: Sides) => Evidence, what: (one: Evidence) => number): number =>
    sides.reduce((total, side) => total + what(of(side)), 0);
  const least = (what: (one: Evidence) => number): number =>
    Math.min(
      sum((side) => side.present, what),
      sum((side) => side.challenger, what),
    );
  return {
    surelyMillis: low - deviations * Math.sqrt(variance),
    likelyMillis: likely,
    presentMillis,
    samples: least(({ histogram }) => countOf(histogram)),
    sources: least(({ sources }) => sources),
  };
}

interface Bounds {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  /** Standard error of the median by chance alone, ms. */
  readonly error: number;
}

function bounds({ histogram }: Evidence, distrust: number): Bounds {
  const half = 0.5 / Math.sqrt(countOf(histogram));
  const at = (q: number): number => quantileMillis(histogram, q);
  return {
    low: at((1 - distrust) / 2),
    middle: at(0.5),
    high: at((1 + distrust) / 2),
    error: (at(0.5 + half) - at(0.5 - half)) / 2,
  };
}

type Failures = Pick<Comparison, 'surelyFailures' | 'likelyFailures'>;

/** A liar can add failures or hide them: of a seen share f, at least (f - e)/(1 - e) and at most f/(1 - e) are true. */
function failures(sides: readonly Sides[], { distrust, deviations }: Confidence): Failures {
  let [sure, likely, variance] = [0, 0, 0];
  const honest = 1 - distrust;
  for (const { weight, present, challenger } of sides) {
    const [a, b] = [failureShare(present.histogram), failureShare(challenger.histogram)];
    sure += weight * (Math.max(0, (a - distrust) / honest) - Math.min(1, b / honest));
    likely += weight * (a - b);
    for (const [share, side] of [
      [a, present],
      [b, challenger],
    ] as const)
      variance += (weight ** 2 * share * (1 - share)) / countOf(side.histogram);
  }
  return { surelyFailures: sure - deviations * Math.sqrt(variance), likelyFailures: likely };
}
