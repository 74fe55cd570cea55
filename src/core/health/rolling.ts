/**
 * Figures for people: loss, round trips and jitter of the last minute, five minutes and hour, for each target, region
 * and uplink. They never decide. Round trips stand in bins of 8 %, which a person does not see.
 */
import type { ProbeTask, Sample } from '../../types/outcome.ts';
import type { RollingFigures } from '../../types/rolling.ts';
import { type Family, type Instant, type Millis, millis, ratio } from '../../types/units.ts';
import { isTimed } from './round-trips.ts';

/** A row of buckets that a window is made of. */
interface Window {
  readonly name: keyof RollingFigures;
  readonly bucketMillis: number;
  readonly buckets: number;
}

const windows: readonly Window[] = [
  { name: '1min', bucketMillis: 5000, buckets: 12 },
  { name: '5min', bucketMillis: 30_000, buckets: 10 },
  { name: '1h', bucketMillis: 300_000, buckets: 12 },
];

const smallestMillis = 0.05;
const growth = 1.08;
const bins = 160;
/** Of one bucket: answered, lost, pairs, then the bins; jitter is a sum of ms and stands apart. */
const answeredAt = 0;
const lostAt = 1;
const pairsAt = 2;
const binsAt = 3;
const width = binsAt + bins;

/** Of one target's address through one uplink. Changed in place. */
interface Track {
  readonly task: ProbeTask;
  readonly counts: readonly Uint32Array[];
  readonly jitter: readonly Float64Array[];
  /** The latest bucket of each window that was written; earlier ones in the ring are older. */
  readonly latest: number[];
}

export interface Rolling {
  readonly tracks: ReadonlyMap<string, Track>;
  /** Where each task's samples go; HTTP and DNS count, but their times hold the server's own. */
  readonly byTask: ReadonlyMap<number, { readonly track: Track; readonly timed: boolean }>;
  /** Of each task: the latest answer, for jitter. */
  readonly last: Map<number, readonly [sentAt: number, rttMillis: number]>;
}

/** Who is asked about. */
export interface RollingSubject {
  readonly uplink: string;
  readonly family: Family;
  /** Left out: all targets of the uplink. */
  readonly region?: string;
  readonly target?: string;
}

/** Nothing measured yet. What a plan before it measured of the same targets is carried over from `before`. */
export function createRolling(tasks: readonly ProbeTask[], before: Rolling | null = null): Rolling {
  const tracks = new Map<string, Track>();
  const byTask = new Map<number, { readonly track: Track; readonly timed: boolean }>();
  for (const task of tasks) {
    if (task.class !== 'target' || task.kind === 'mtu') continue;
    const key = keyOf(task);
    const known = tracks.get(key) ?? before?.tracks.get(key);
    const track = known === undefined ? newTrack(task) : { ...known, task };
    tracks.set(key, track);
    byTask.set(task.id, { track, timed: isTimed(task.kind) });
  }
  return { tracks, byTask, last: new Map() };
}

/** Counts outcomes by the time of their sending. Those older than a window are left out of it. */
export function noteRolling(rolling: Rolling, samples: readonly Sample[]): void {
  for (const sample of samples) {
    const place = rolling.byTask.get(sample.task);
    if (place === undefined || sample.outcome.kind === 'not-run') continue;
    const jitterMillis = place.timed ? jitterOf(rolling, sample) : null;
    windows.forEach((window, index) => add(place, window, index, sample, jitterMillis));
  }
}

/** The figures of a target, a region or an uplink at `now`. */
export function figuresAt(rolling: Rolling, subject: RollingSubject, now: Instant): RollingFigures {
  const tracks = [...rolling.tracks.values()].filter(({ task }) => isOf(task, subject));
  const [minute, fiveMinutes, hour] = windows.map((window, index) => figuresOf(tracks, window, index, now));
  if (minute === undefined || fiveMinutes === undefined || hour === undefined) throw new Error('no windows');
  return { '1min': minute, '5min': fiveMinutes, '1h': hour };
}

function isOf(task: ProbeTask, { uplink, family, region, target }: RollingSubject): boolean {
  if (task.uplink !== uplink || task.family !== family) return false;
  return (region === undefined || task.region === region) && (target === undefined || task.target === target);
}

function keyOf({ uplink, family, address }: ProbeTask): string {
  return `${uplink} ${family} ${address}`;
}

function newTrack(task: ProbeTask): Track {
  return {
    task,
    counts: windows.map(({ buckets }) => new Uint32Array(buckets * width)),
    jitter: windows.map(({ buckets }) => new Float64Array(buckets)),
    latest: windows.map(() => -1),
  };
}

/** Null: no answer, or none before it to compare with. */
function jitterOf({ last }: Rolling, { task, sentAt, outcome }: Sample): number | null {
  if (outcome.kind !== 'answered') return null;
  const before = last.get(task);
  if (before !== undefined && sentAt <= before[0]) return null;
  last.set(task, [sentAt, outcome.rttMillis]);
  return before === undefined ? null : Math.abs(outcome.rttMillis - before[1]);
}

function add(
  { track, timed }: { readonly track: Track; readonly timed: boolean },
  window: Window,
  index: number,
  sample: Sample,
  jitterMillis: number | null,
): void {
  const counts = track.counts[index];
  const jitter = track.jitter[index];
  if (counts === undefined || jitter === undefined) return;
  const bucket = Math.floor(sample.sentAt / window.bucketMillis);
  turnTo(track, window, index, bucket);
  if (bucket <= (track.latest[index] ?? 0) - window.buckets) return;
  const slot = bucket % window.buckets;
  const base = slot * width;
  if (sample.outcome.kind === 'lost') increment(counts, base + lostAt);
  if (sample.outcome.kind !== 'answered') return;
  increment(counts, base + answeredAt);
  if (timed) increment(counts, base + binsAt + binOf(sample.outcome.rttMillis));
  if (jitterMillis === null) return;
  increment(counts, base + pairsAt);
  jitter[slot] = (jitter[slot] ?? 0) + jitterMillis;
}

/** Empties the buckets between the latest one and a newer one. */
function turnTo(track: Track, { buckets }: Window, index: number, bucket: number): void {
  const latest = track.latest[index] ?? -1;
  if (bucket <= latest) return;
  for (let turned = Math.max(latest + 1, bucket - buckets + 1); turned <= bucket; turned += 1) {
    const slot = turned % buckets;
    track.counts[index]?.fill(0, slot * width, (slot + 1) * width);
    track.jitter[index]?.fill(0, slot, slot + 1);
  }
  track.latest[index] = bucket;
}

function figuresOf(
  tracks: readonly Track[],
  window: Window,
  index: number,
  now: Instant,
): RollingFigures['1min'] {
  const sums = new Float64Array(width);
  let jitterMillis = 0;
  const newest = Math.floor(now / window.bucketMillis);
  for (const track of tracks) {
    const latest = track.latest[index] ?? -1;
    for (let bucket = Math.max(0, newest - window.buckets + 1); bucket <= latest; bucket += 1) {
      const slot = bucket % window.buckets;
      for (let at = 0; at < width; at += 1)
        sums[at] = (sums[at] ?? 0) + (track.counts[index]?.[slot * width + at] ?? 0);
      jitterMillis += track.jitter[index]?.[slot] ?? 0;
    }
  }
  const [answered = 0, lost = 0, pairs = 0] = sums;
  const spread = sums.subarray(binsAt);
  return {
    probes: answered + lost,
    loss: answered + lost === 0 ? null : ratio(lost / (answered + lost)),
    rttP50Millis: quantile(spread, 0.5),
    rttP95Millis: quantile(spread, 0.95),
    rttP99Millis: quantile(spread, 0.99),
    jitterMillis: pairs === 0 ? null : millis(jitterMillis / pairs),
  };
}

function binOf(rttMillis: number): number {
  if (rttMillis <= smallestMillis) return 0;
  return Math.min(bins - 1, Math.floor(Math.log(rttMillis / smallestMillis) / Math.log(growth)));
}

/** The middle of the bin that holds that share; null where nothing was answered. */
function quantile(spread: Float64Array, share: number): Millis | null {
  const total = spread.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    below += spread[bin] ?? 0;
    if (below >= share * total)
      return millis(Number((smallestMillis * growth ** (bin + 0.5)).toPrecision(3)));
  }
  return null;
}

function increment(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}
