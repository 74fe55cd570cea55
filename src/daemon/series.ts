/**
 * Outcomes and round trips of each second of the last hour, for each uplink and family: for charts, never for decisions.
 * A second is the one of sending, so a loss stands where the probe was sent, a timeout before it was known.
 * 43 kB a track; what is kept does not grow.
 */
import type { SeriesParts, SeriesStart } from '../http/series.ts';
import type { ProbeTask, Sample } from '../types/outcome.ts';
import type { Family, Instant } from '../types/units.ts';
import { unreachable } from '../types/unreachable.ts';
import type { SeriesTrack } from '../types/wire/series.ts';

const keptSeconds = 3600;
/** A second takes outcomes for this long at least: the prober reports five times a second, after the timeout. */
const reportSeconds = 2;
const longestOpenSeconds = 32;
/** Round trips of one second that are kept for its quantiles. */
const mostRoundTrips = 2048;
/** An answer holds no more points than this; with more of them it takes greater steps. */
const mostPoints = 24_000;
const steps: readonly number[] = [1, 2, 5, 10, 30, 60, 300];

/** Of one uplink in one family. Changed in place. */
interface Track {
  readonly uplink: string;
  readonly family: Family;
  readonly answered: Uint16Array;
  readonly lost: Uint16Array;
  /** NaN: nothing was answered. */
  readonly p50: Float32Array;
  readonly p95: Float32Array;
  /** Of seconds that still take outcomes. */
  readonly roundTrips: Map<number, number[]>;
  latest: number;
}

export interface Series {
  readonly tracks: ReadonlyMap<string, Track>;
  readonly byTask: ReadonlyMap<number, { readonly track: Track; readonly timed: boolean }>;
  readonly openSeconds: number;
}

/** Nothing measured yet, but for what `before` has of the same uplinks. */
export function createSeries(tasks: readonly ProbeTask[], before: Series | null = null): Series {
  const tracks = new Map<string, Track>();
  const byTask = new Map<number, { readonly track: Track; readonly timed: boolean }>();
  let longestMillis = 0;
  for (const task of tasks) {
    if (task.class !== 'target' || task.kind === 'mtu') continue;
    const key = `${task.uplink}${task.family}`;
    const track = tracks.get(key) ?? before?.tracks.get(key) ?? newTrack(task);
    tracks.set(key, track);
    // Times of HTTP and DNS hold the server's own.
    byTask.set(task.id, { track, timed: task.kind === 'icmp' || task.kind === 'tcp' });
    longestMillis = Math.max(longestMillis, task.timeoutMillis);
  }
  const openSeconds = Math.min(longestOpenSeconds, Math.ceil(longestMillis / 1000) + reportSeconds);
  return { tracks, byTask, openSeconds };
}

/** Counts outcomes; those that our own machine did not send are left out. */
export function noteSeries(series: Series, samples: readonly Sample[]): void {
  for (const { task, sentAt, outcome } of samples) {
    const place = series.byTask.get(task);
    if (place === undefined || outcome.kind === 'not-run') continue;
    const { track, timed } = place;
    const second = Math.floor(sentAt / 1000);
    turnTo(track, second, series.openSeconds);
    if (second <= track.latest - keptSeconds) continue;
    const slot = second % keptSeconds;
    const counts = outcome.kind === 'lost' ? track.lost : track.answered;
    counts[slot] = Math.min(65_535, (counts[slot] ?? 0) + 1);
    if (outcome.kind !== 'answered' || !timed || second <= track.latest - series.openSeconds) continue;
    const trips = track.roundTrips.get(second) ?? [];
    if (trips.length < mostRoundTrips) trips.push(outcome.rttMillis);
    track.roundTrips.set(second, trips);
  }
}

/**
 * The seconds from `from` on (null, or one that is not kept: all), up to `now`. `wallMillis` is the wall time of `now`.
 * `next` is where to go on from: seconds that may still change come again.
 */
export function seriesFrom(
  series: Series,
  from: number | null,
  now: Instant,
  wallMillis: number,
): SeriesParts {
  const last = Math.floor(now / 1000);
  const oldest = Math.max(0, last - keptSeconds + 1);
  const asked = from === null || from < oldest || from > last ? oldest : from;
  const stepSeconds = stepFor(last - asked + 1, series.tracks.size);
  const first = asked - (asked % stepSeconds);
  return {
    head: {
      schema: 1,
      stepSeconds,
      first,
      firstAt: new Date(Math.round(wallMillis - (now - first * 1000))).toISOString(),
      next: Math.max(first, last - series.openSeconds),
    },
    tracks: [...series.tracks.values()].map((track) => () => pointsOf(track, first, last, stepSeconds)),
  };
}

/** As it was asked for over HTTP. */
export function seriesAt(series: Series, start: SeriesStart, now: Instant, wallMillis: number): SeriesParts {
  switch (start.kind) {
    case 'all':
      return seriesFrom(series, null, now, wallMillis);
    case 'second':
      return seriesFrom(series, start.second, now, wallMillis);
    case 'back':
      return seriesFrom(series, Math.floor(now / 1000) - start.seconds, now, wallMillis);
    default:
      return unreachable(start);
  }
}

function newTrack({ uplink, family }: ProbeTask): Track {
  return {
    uplink,
    family,
    answered: new Uint16Array(keptSeconds),
    lost: new Uint16Array(keptSeconds),
    p50: new Float32Array(keptSeconds).fill(Number.NaN),
    p95: new Float32Array(keptSeconds).fill(Number.NaN),
    roundTrips: new Map(),
    latest: -1,
  };
}

/** Empties the seconds up to a newer one, and ends those that take nothing more. */
function turnTo(track: Track, second: number, openSeconds: number): void {
  if (second <= track.latest) return;
  for (let turned = Math.max(track.latest + 1, second - keptSeconds + 1); turned <= second; turned += 1) {
    const slot = turned % keptSeconds;
    track.answered[slot] = 0;
    track.lost[slot] = 0;
    track.p50[slot] = Number.NaN;
    track.p95[slot] = Number.NaN;
  }
  track.latest = second;
  for (const [open, trips] of track.roundTrips) {
    if (open > second - openSeconds) continue;
    track.roundTrips.delete(open);
    if (open <= second - keptSeconds) continue;
    [track.p50[open % keptSeconds], track.p95[open % keptSeconds]] = quantiles(trips);
  }
}

function stepFor(seconds: number, tracks: number): number {
  const fits = (step: number): boolean => Math.ceil(seconds / step + 1) * Math.max(1, tracks) <= mostPoints;
  return steps.find((step) => fits(step)) ?? steps.at(-1) ?? 1;
}

function pointsOf(track: Track, first: number, last: number, stepSeconds: number): SeriesTrack {
  const answered: number[] = [];
  const lost: number[] = [];
  const rttP50Millis: (number | null)[] = [];
  const rttP95Millis: (number | null)[] = [];
  for (let from = first; from <= last; from += stepSeconds) {
    const point = pointOf(track, from, Math.min(last, from + stepSeconds - 1));
    answered.push(point.answered);
    lost.push(point.lost);
    rttP50Millis.push(rounded(point.p50));
    rttP95Millis.push(rounded(point.p95));
  }
  return { uplink: track.uplink, family: track.family, answered, lost, rttP50Millis, rttP95Millis };
}

/** Of several seconds: all outcomes, and the worst second's round trips, so that a peak is not averaged away. */
function pointOf(track: Track, from: number, to: number) {
  let answered = 0;
  let lost = 0;
  let p50 = Number.NaN;
  let p95 = Number.NaN;
  for (let second = from; second <= to; second += 1) {
    if (second > track.latest || second <= track.latest - keptSeconds) continue;
    const slot = second % keptSeconds;
    answered += track.answered[slot] ?? 0;
    lost += track.lost[slot] ?? 0;
    const open = track.roundTrips.get(second);
    const [half, most] =
      open === undefined ? [track.p50[slot] ?? Number.NaN, track.p95[slot] ?? Number.NaN] : quantiles(open);
    if (!(half <= p50)) p50 = Number.isNaN(half) ? p50 : half;
    if (!(most <= p95)) p95 = Number.isNaN(most) ? p95 : most;
  }
  return { answered, lost, p50, p95 };
}

function quantiles(trips: readonly number[]): readonly [number, number] {
  const sorted = [...trips].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return [at(0.5), at(0.95)];
}

function rounded(value: number): number | null {
  return Number.isNaN(value) ? null : Math.round(value * 100) / 100;
}
