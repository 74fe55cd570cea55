/**
 * A test for loss or slowness that is robust by leaving one part out: it alarms only if every pool that lacks one part
 * alarms, and it is clean if some pool is. A part is a target, or a whole region. The bad state stays until a
 * clean run of the recovery's length.
 */
import { type CellRing, sumOf } from './cell-ring.ts';
import { type Cusum, advance, alarms, cleanSinceCell, looksBad, newCusum, restartClean } from './cusum.ts';
import type { Thresholds } from './thresholds.ts';

export type TestKind = 'loss' | 'slow';

/** Changed in place; belongs to one memory. */
export interface PoolTest {
  readonly kind: TestKind;
  /** Streams of each part. */
  parts: readonly (readonly number[])[];
  /** One pool for each part, which lacks it; with a single part, one pool of it. */
  pools: Cusum[];
  /** Decided: latched until it has recovered. */
  bad: boolean;
  /** The first cell after the one that decided it; a clean run counts from here. */
  badFrom: number;
}

/** What makes thresholds and planned probes from a pool's probes per second. */
export interface PoolScale {
  readonly thresholds: (ratePerSecond: number) => Thresholds;
  readonly cellSeconds: number;
  readonly gapCells: number;
  /** Probes per second of each stream. */
  readonly rates: readonly number[];
}

export function newPoolTest(
  kind: TestKind,
  parts: readonly (readonly number[])[],
  scale: PoolScale,
  cell: number,
): PoolTest {
  return { kind, parts, pools: newPools(kind, parts, scale, cell), bad: false, badFrom: cell };
}

/** Adds one closed cell to every pool. `from`: the first cell of each stream that counts; null: all do. */
export function advanceTest(
  test: PoolTest,
  ring: CellRing,
  cell: number,
  from: Float64Array | null = null,
): void {
  const badCounts = test.kind === 'loss' ? ring.lost : ring.slow;
  const single = test.parts.length === 1;
  let allBad = 0;
  let allAnswered = 0;
  if (!single) {
    for (const part of test.parts) {
      allBad += sumOf(ring, badCounts, part, cell, from);
      allAnswered += sumOf(ring, ring.answered, part, cell, from);
    }
  }
  for (let index = 0; index < test.pools.length; index += 1) {
    const part = test.parts[index];
    const pool = test.pools[index];
    if (part === undefined || pool === undefined) continue;
    const partBad = sumOf(ring, badCounts, part, cell, from);
    const partAnswered = sumOf(ring, ring.answered, part, cell, from);
    const bad = single ? partBad : allBad - partBad;
    const answered = single ? partAnswered : allAnswered - partAnswered;
    advance(pool, test.kind === 'loss' ? answered : answered - bad, bad, cell);
  }
}

/** Replaces the parts and computes the pools again from the cells of the window. */
export function rescore(
  test: PoolTest,
  parts: readonly (readonly number[])[],
  scale: PoolScale,
  ring: CellRing,
  from: Float64Array,
): void {
  const first = Math.max(0, ring.nextClose - ring.windowCells);
  test.parts = parts;
  test.pools = newPools(test.kind, parts, scale, first);
  for (let cell = first; cell < ring.nextClose; cell += 1) {
    // A clean run lies after the decision, here too.
    if (cell === test.badFrom) restartRuns(test, cell);
    advanceTest(test, ring, cell, from);
  }
  if (test.badFrom >= ring.nextClose) restartRuns(test, test.badFrom);
}

export function testAlarms(test: PoolTest): boolean {
  return test.pools.length > 0 && test.pools.every(alarms);
}

/** Whether its last cells hold a bad run that could become an alarm. */
export function testLooksBad(test: PoolTest): boolean {
  return test.pools.length > 0 && test.pools.every(looksBad);
}

/** The likeliest first cell of a fault: where the pool that rose last began to rise. */
export function testRisingFrom(test: PoolTest): number {
  return Math.max(...test.pools.map((pool) => pool.risingFrom));
}

/** First cell of the longest clean run that ends at `cell` and lies after the decision; null: none. */
export function testCleanSince(test: PoolTest, cell: number): number | null {
  let since: number | null = null;
  for (const pool of test.pools) {
    const from = cleanSinceCell(pool, cell);
    if (from !== null && (since === null || from < since)) since = from;
  }
  return since;
}

/** Decides it bad; a clean run counts from `cell` on at the earliest. */
export function turnBad(test: PoolTest, cell: number): void {
  test.bad = true;
  // A link that was away may have put it off further already.
  delayClean(test, Math.max(test.badFrom, cell));
}

/** A clean run counts from `cell` on at the earliest. */
export function delayClean(test: PoolTest, cell: number): void {
  test.badFrom = cell;
  restartRuns(test, cell);
}

/** Ends the bad state; what was before the clean run is forgotten, or it would alarm again at once. */
export function turnGood(test: PoolTest): void {
  test.bad = false;
  for (const pool of test.pools) pool.score = Math.min(pool.score, pool.calm);
}

/** Forgets all scores: what was measured is too old to be continued. */
export function forgetScores(test: PoolTest, cell: number): void {
  for (const pool of test.pools) pool.score = 0;
  delayClean(test, Math.max(test.badFrom, cell));
}

function restartRuns(test: PoolTest, cell: number): void {
  for (const pool of test.pools) restartClean(pool, cell);
}

function newPools(
  kind: TestKind,
  parts: readonly (readonly number[])[],
  scale: PoolScale,
  cell: number,
): Cusum[] {
  const rateOf = (part: readonly number[]) =>
    part.reduce((sum, stream) => sum + (scale.rates[stream] ?? 0), 0);
  const paceOf = (rate: number) => ({ plannedPerCell: rate * scale.cellSeconds, gapCells: scale.gapCells });
  const all = parts.reduce((sum, part) => sum + rateOf(part), 0);
  return parts.map((part) => {
    const rate = parts.length === 1 ? all : all - rateOf(part);
    return newCusum(scale.thresholds(rate)[kind], paceOf(rate), cell);
  });
}
