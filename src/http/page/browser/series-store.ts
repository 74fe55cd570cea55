/** What `GET /v1/series` brought, joined over many answers. Seconds are those of the daemon's monotonic clock. */
import type { SeriesAnswer } from '../../../types/wire/series.ts';

const keptSeconds = 3600;

export interface TrackPoints {
  readonly uplink: string;
  readonly family: 4 | 6;
  readonly answered: number[];
  readonly lost: number[];
  readonly rttP50Millis: (number | null)[];
  readonly rttP95Millis: (number | null)[];
}

/** Changed in place by `takeSeries`. */
export interface SeriesStore {
  /** Where each point begins. */
  seconds: number[];
  tracks: Map<string, TrackPoints>;
  /** What is asked for next; null: all. */
  next: number | null;
  /** Wall time in ms of second 0. */
  wallOffsetMillis: number;
}

export function newSeriesStore(): SeriesStore {
  return { seconds: [], tracks: new Map(), next: null, wallOffsetMillis: 0 };
}

/** Takes an answer: points from its first on replace those that are here. */
export function takeSeries(store: SeriesStore, answer: SeriesAnswer): void {
  const keys = answer.series.map(keyOf);
  const isSame = keys.length === store.tracks.size && keys.every((key) => store.tracks.has(key));
  const isNext = store.next !== null && answer.first <= store.next && isSame;
  if (!isNext) clear(store, answer);
  const kept = countBelow(store.seconds, answer.first);
  const count = answer.series[0]?.answered.length ?? 0;
  store.seconds.length = kept;
  for (let index = 0; index < count; index += 1)
    store.seconds.push(answer.first + index * answer.stepSeconds);
  for (const points of answer.series) {
    const track = store.tracks.get(keyOf(points));
    if (track !== undefined) extend(track, points, kept);
  }
  store.next = answer.next;
  store.wallOffsetMillis = Date.parse(answer.firstAt) - answer.first * 1000;
  trim(store);
}

/** Outcomes come up to a timeout after the probe; before that many seconds nothing is taken for recent. */
const longestUnknownSeconds = 10;

/** The share that was lost of what was sent in the latest seconds of which anything is known; null: nothing is. */
export function recentLoss(
  store: SeriesStore,
  uplink: string,
  family: 4 | 6,
  seconds: number,
): number | null {
  const track = store.tracks.get(`${uplink}${family}`);
  if (track === undefined) return null;
  const known = track.answered.findLastIndex((count, at) => count + (track.lost[at] ?? 0) > 0);
  const last = store.seconds[known];
  if (last === undefined || (store.seconds.at(-1) ?? 0) - last > longestUnknownSeconds) return null;
  let answered = 0;
  let lost = 0;
  for (let at = known; at >= 0 && (store.seconds[at] ?? 0) > last - seconds; at -= 1) {
    answered += track.answered[at] ?? 0;
    lost += track.lost[at] ?? 0;
  }
  return answered + lost === 0 ? null : lost / (answered + lost);
}

const keyOf = ({ uplink, family }: { readonly uplink: string; readonly family: number }): string =>
  `${uplink}${family}`;

function clear(store: SeriesStore, answer: SeriesAnswer): void {
  store.seconds = [];
  store.tracks = new Map(
    answer.series.map(({ uplink, family }) => [
      `${uplink}${family}`,
      { uplink, family, answered: [], lost: [], rttP50Millis: [], rttP95Millis: [] },
    ]),
  );
}

function countBelow(seconds: readonly number[], first: number): number {
  let count = seconds.length;
  while (count > 0 && (seconds[count - 1] ?? 0) >= first) count -= 1;
  return count;
}

function extend(track: TrackPoints, more: SeriesAnswer['series'][number], kept: number): void {
  for (const name of ['answered', 'lost'] as const) track[name].splice(kept, Infinity, ...more[name]);
  for (const name of ['rttP50Millis', 'rttP95Millis'] as const)
    track[name].splice(kept, Infinity, ...more[name]);
}

function trim(store: SeriesStore): void {
  const last = store.seconds.at(-1) ?? 0;
  const old = countBelow(store.seconds, last - keptSeconds);
  if (old === 0) return;
  store.seconds.splice(0, old);
  for (const track of store.tracks.values()) {
    for (const points of [track.answered, track.lost, track.rttP50Millis, track.rttP95Millis])
      points.splice(0, old);
  }
}
