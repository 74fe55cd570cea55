/**
 * What is usual for a stream's round trips, learnt while it is well, and the limits that follow: a limit of the policy,
 * or so much more than usual. What is learnt follows slow changes (in about an hour) and none that is bad.
 */
import type { Policy } from '../../types/policy.ts';
import type { Outcome, ProbeKind, Sample } from '../../types/outcome.ts';

/** Changed in place; belongs to one stream. Values are ms. */
export interface RoundTrips {
  /** Cells that were learnt from. */
  cells: number;
  usualMillis: number;
  usualJitterMillis: number;
  /** Of the open cells: sums of round trips and of their differences, and how many. */
  sumMillis: number;
  answers: number;
  jitterSumMillis: number;
  pairs: number;
  /** The latest answer of each kind whose round trip is the path's own: sent when, and how long it took. */
  readonly last: Map<ProbeKind, readonly [sentAt: number, rttMillis: number]>;
}

/** Cells until what is usual counts as learnt, and cells over which it then is averaged. */
const learningCells = 60;
const memoryCells = 3600;
/** Limits by what is usual are never nearer to it than this: a path of 1 ms may well take 3. */
const leastSlackMillis = 5;
const leastJitterMillis = 2;

export function newRoundTrips(): RoundTrips {
  return {
    cells: 0,
    usualMillis: 0,
    usualJitterMillis: 0,
    sumMillis: 0,
    answers: 0,
    jitterSumMillis: 0,
    pairs: 0,
    last: new Map(),
  };
}

/** Whether the round trip of such a probe is the path's: that of HTTP and DNS holds the server's own time. */
export function isTimed(kind: ProbeKind): boolean {
  return kind === 'icmp' || kind === 'tcp';
}

/** Takes an answer in, and says whether it was late or jittery by the policy. Answers come in the order of sending. */
export function takeAnswer(
  trips: RoundTrips,
  policy: Policy,
  kind: ProbeKind,
  { sentAt, outcome }: Sample & { readonly outcome: Extract<Outcome, { readonly kind: 'answered' }> },
): boolean {
  const rtt: number = outcome.rttMillis;
  trips.sumMillis += rtt;
  trips.answers += 1;
  const before = trips.last.get(kind);
  let jitter = 0;
  if (before === undefined || sentAt > before[0]) {
    if (before !== undefined) {
      jitter = Math.abs(rtt - before[1]);
      trips.jitterSumMillis += jitter;
      trips.pairs += 1;
    }
    trips.last.set(kind, [sentAt, rtt]);
  }
  return rtt > slowLimitMillis(trips, policy) || jitter > jitterLimitMillis(trips, policy);
}

/** A cell is closed: what was measured since the last one is learnt, unless it or the stream is bad. */
export function learn(trips: RoundTrips, policy: Policy, isBad: boolean): void {
  const slow = trips.answers > 0 && trips.sumMillis / trips.answers > slowLimitMillis(trips, policy);
  if (trips.answers > 0 && !isBad && !slow) {
    trips.cells += 1;
    const share = 1 / Math.min(trips.cells, trips.cells <= learningCells ? learningCells : memoryCells);
    trips.usualMillis += (trips.sumMillis / trips.answers - trips.usualMillis) * share;
    if (trips.pairs > 0)
      trips.usualJitterMillis += (trips.jitterSumMillis / trips.pairs - trips.usualJitterMillis) * share;
  }
  trips.sumMillis = 0;
  trips.answers = 0;
  trips.jitterSumMillis = 0;
  trips.pairs = 0;
}

/** Round trips above this are slow. */
export function slowLimitMillis({ cells, usualMillis }: RoundTrips, { latency }: Policy): number {
  if (latency.baseline === undefined || cells < learningCells) return latency.badMillis;
  const usual = usualMillis + Math.max(leastSlackMillis, latency.baseline * usualMillis);
  return Math.min(latency.badMillis, usual);
}

/** Differences above this are jitter; Infinity where the policy does not ask. */
export function jitterLimitMillis({ cells, usualJitterMillis }: RoundTrips, { jitter }: Policy): number {
  const given = jitter?.badMillis ?? Infinity;
  if (jitter?.baseline === undefined || cells < learningCells) return given;
  const usual = usualJitterMillis + Math.max(leastJitterMillis, jitter.baseline * usualJitterMillis);
  return Math.min(given, usual);
}
