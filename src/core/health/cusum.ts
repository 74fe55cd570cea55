/**
 * One detector over the cells of one pool of targets. Two sums run side by side: `score` looks for a fault,
 * `calm` is the same sum started again at each bad cell that is more than noise, and tells since when it is clean.
 */
import type { TestLimits } from './thresholds.ts';

/** Changed in place; belongs to one memory. */
export interface Cusum {
  readonly limits: TestLimits;
  readonly pace: PoolPace;
  score: number;
  /** The cell in which the score left 0 last: the likeliest begin of a fault. */
  risingFrom: number;
  calm: number;
  /** First cell of the clean run. */
  cleanFrom: number;
  /** Probes and bad ones since then. */
  counted: number;
  bad: number;
  /** The latest cell with counted probes. */
  countedTo: number;
}

/** What a pool's probes are like. */
export interface PoolPace {
  /** Probes that the plan sends in a cell. */
  readonly plannedPerCell: number;
  /** After more cells than this without counted probes a clean run begins anew: silence is not clean. */
  readonly gapCells: number;
}

/** A score never stands above this many limits, so that the end of a long fault is seen in bounded time. */
const scoreCeiling = 2;
/** Share of the planned probes that a clean run must have counted. */
const enoughShare = 0.5;
/** Sums of logarithms miss the limit by rounding when each cell adds exactly its cap. */
const rounding = 1e-9;

export function newCusum(limits: TestLimits, pace: PoolPace, cell: number): Cusum {
  return {
    limits,
    pace,
    score: 0,
    risingFrom: cell,
    calm: 0,
    cleanFrom: cell,
    counted: 0,
    bad: 0,
    countedTo: cell,
  };
}

/** Adds a closed cell. One without counted probes says nothing. */
export function advance(cusum: Cusum, good: number, bad: number, cell: number): void {
  if (good + bad === 0) return;
  if (cell - cusum.countedTo > cusum.pace.gapCells) restartClean(cusum, Math.max(cusum.cleanFrom, cell));
  cusum.countedTo = cell;
  const { badScore, goodScore, limit, cellCap, noise } = cusum.limits;
  const step = Math.min(cellCap, bad * badScore + good * goodScore);
  if (cusum.score === 0) cusum.risingFrom = cell;
  cusum.score = Math.min(scoreCeiling * limit, Math.max(0, cusum.score + step));
  // A clean run that is put off (the link was away) has not begun yet.
  if (cell < cusum.cleanFrom) return;
  cusum.calm = Math.max(0, cusum.calm + step);
  cusum.counted += good + bad;
  cusum.bad += bad;
  if (cusum.calm > noise) restartClean(cusum, cell + 1);
}

/** The clean run begins at `cell` at the earliest. */
export function restartClean(cusum: Cusum, cell: number): void {
  cusum.calm = 0;
  cusum.cleanFrom = cell;
  cusum.counted = 0;
  cusum.bad = 0;
}

export function alarms(cusum: Cusum): boolean {
  return cusum.score >= cusum.limits.limit * (1 - rounding);
}

/** Whether the last cells hold about one full bad cell or more: what could become an alarm. */
export function looksBad(cusum: Cusum): boolean {
  return cusum.score > cusum.limits.noise;
}

/** First cell of the run that is compatible with good and ends at `cell`; null: there is none. */
export function cleanSinceCell(cusum: Cusum, cell: number): number | null {
  const cells = cell + 1 - cusum.cleanFrom;
  if (cells < 1 || cusum.counted === 0 || cell - cusum.countedTo > cusum.pace.gapCells) return null;
  if (cusum.counted < enoughShare * cusum.pace.plannedPerCell * cells) return null;
  if (cusum.bad >= cusum.limits.cleanRatio * cusum.counted) return null;
  return cusum.cleanFrom;
}
