/** What happened beside what another policy, or this one again, would have decided from the same outcomes. */
import type { RunStep } from './run.ts';
import { type Episode, overlaps, startTrack, stateChangesIn, withdrawalsIn } from './episodes.ts';
import { type RecordedTick, type RecordedWish, recordedWish } from './recording.ts';
import type { Instant } from '../../types/units.ts';

/** An announcement in a tick in which either side changed. */
export interface ComparedRow {
  /** Since the beginning of the recording. */
  readonly atMillis: number;
  readonly happened: RecordedWish;
  readonly would: RecordedWish;
}

export interface Side {
  readonly withdrawals: number;
  readonly changes: number;
}

export interface Comparison {
  readonly ticks: number;
  readonly samples: number;
  readonly lengthMillis: number;
  readonly rows: readonly ComparedRow[];
  readonly happened: Side;
  readonly would: Side;
  /** Withdrawals of one side during which the other never withdrew the same announcement. */
  readonly onlyHappened: readonly Episode[];
  readonly onlyWould: readonly Episode[];
  /** Announcement-seconds in which the two wished another state. */
  readonly disagreementSeconds: number;
}

/** `step` is called once for each tick, in their order. `beganAt`: the recording's beginning, by its monotonic clock. */
export function compare(
  beganAt: Instant,
  ticks: Iterable<RecordedTick>,
  step: (tick: RecordedTick) => RunStep,
): Comparison {
  const [happened, would] = [startTrack(), startTrack()];
  const rows: ComparedRow[] = [];
  let count = 0;
  let samples = 0;
  let at = 0;
  let disagreementMillis = 0;
  let disagreeing = 0;
  for (const tick of ticks) {
    const next = tick.decidedAt - beganAt;
    disagreementMillis += disagreeing * (next - at);
    at = next;
    count += 1;
    samples += tick.samples.length;
    const now = recordedWish(step(tick).wish);
    const changed = [...happened.note(at, tick.happened), ...would.note(at, now)];
    for (const one of announcementsOf(changed)) {
      const [was, is] = [happened.now(one), would.now(one)];
      if (was !== null && is !== null) rows.push({ atMillis: at, happened: was, would: is });
    }
    if (changed.length > 0) disagreeing = now.filter((one) => happened.now(one)?.state !== one.state).length;
  }
  const sides = [happened.episodes(at), would.episodes(at)] as const;
  const [left, right] = [withdrawalsIn(sides[0]), withdrawalsIn(sides[1])];
  return {
    ticks: count,
    samples,
    lengthMillis: at,
    rows,
    happened: { withdrawals: left.length, changes: stateChangesIn(sides[0]) },
    would: { withdrawals: right.length, changes: stateChangesIn(sides[1]) },
    onlyHappened: left.filter((one) => !right.some((other) => overlaps(one, other))),
    onlyWould: right.filter((one) => !left.some((other) => overlaps(one, other))),
    disagreementSeconds: disagreementMillis / 1000,
  };
}

/** Each once, in their order. */
function announcementsOf(wishes: readonly RecordedWish[]): readonly RecordedWish[] {
  const keyed = wishes.map((wish) => [`${wish.uplink}/${wish.service}/${wish.family}`, wish] as const);
  return [...new Map(keyed).values()];
}
