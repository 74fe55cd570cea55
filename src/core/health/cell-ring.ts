/** Counts of outcomes per stream and cell, for the cells of the window and those that are still open. */
import { rttBin, rttSlots } from './rtt-histogram.ts';
import type { Outcome } from '../../types/outcome.ts';
import { unreachable } from '../../types/unreachable.ts';

/** Changed in place; belongs to one memory. Counts stand cell by cell, the streams of one cell side by side. */
export interface CellRing {
  readonly streams: number;
  /** Closed cells that are kept. */
  readonly windowCells: number;
  /** Cells after the closed ones that take samples. */
  readonly openCells: number;
  /** The first cell that is not closed. */
  nextClose: number;
  readonly answered: Uint16Array;
  readonly lost: Uint16Array;
  /** Answered, but later than the limit. */
  readonly slow: Uint16Array;
  readonly notRun: Uint16Array;
  /** Per cell: stream and bin of each round trip, packed; kept for the cells of the evidence alone. */
  readonly rtts: number[][];
}

/** Counts stop here: they must fit a character of the checkpoint. */
const greatestCount = 50_000;

export function newCellRing(
  streams: number,
  windowCells: number,
  openCells: number,
  nextClose: number,
): CellRing {
  const cells = windowCells + openCells;
  return {
    streams,
    windowCells,
    openCells,
    nextClose,
    answered: new Uint16Array(cells * streams),
    lost: new Uint16Array(cells * streams),
    slow: new Uint16Array(cells * streams),
    notRun: new Uint16Array(cells * streams),
    rtts: Array.from({ length: cells }, () => []),
  };
}

/** Where a cell's counts begin. */
export function baseOf(ring: CellRing, cell: number): number {
  return slotOf(ring, cell) * ring.streams;
}

/** Where a cell's round trips stand. */
export function slotOf(ring: CellRing, cell: number): number {
  return cell % (ring.windowCells + ring.openCells);
}

/** Whether the cell takes outcomes: it is not closed, and not too far ahead. */
export function isOpen(ring: CellRing, cell: number): boolean {
  return cell >= ring.nextClose && cell < ring.nextClose + ring.openCells;
}

/** Of an answer's round trip: within the limits, beyond one, or not the path's own. */
export type Trip = 'well' | 'slow' | 'untimed';

/** Adds an outcome to an open cell. False: the cell is closed already, or too far ahead. */
export function addOutcome(
  ring: CellRing,
  stream: number,
  cell: number,
  outcome: Outcome,
  trip: Trip,
): boolean {
  if (!isOpen(ring, cell)) return false;
  const at = baseOf(ring, cell) + stream;
  switch (outcome.kind) {
    case 'answered':
      increment(ring.answered, at);
      if (trip === 'untimed') return true;
      if (trip === 'slow') increment(ring.slow, at);
      ring.rtts[slotOf(ring, cell)]?.push(stream * rttSlots + rttBin(outcome.rttMillis));
      return true;
    case 'lost':
      increment(ring.lost, at);
      return true;
    case 'not-run':
      increment(ring.notRun, at);
      return true;
    default:
      return unreachable(outcome);
  }
}

/** Moves the first open cell to the closed ones and clears the slot of the cell that becomes open. */
export function closeNext(ring: CellRing): void {
  ring.nextClose += 1;
  const opened = ring.nextClose + ring.openCells - 1;
  const base = baseOf(ring, opened);
  for (const counts of [ring.answered, ring.lost, ring.slow, ring.notRun]) {
    counts.fill(0, base, base + ring.streams);
  }
  ring.rtts[slotOf(ring, opened)] = [];
}

/** Empties all cells; `nextClose` is then the first that is not closed. */
export function clearRing(ring: CellRing, nextClose: number): void {
  for (const counts of [ring.answered, ring.lost, ring.slow, ring.notRun]) counts.fill(0);
  for (let slot = 0; slot < ring.rtts.length; slot += 1) ring.rtts[slot] = [];
  ring.nextClose = nextClose;
}

/** The sum over some streams of one cell, without those whose cells before `from[stream]` do not count. */
export function sumOf(
  ring: CellRing,
  counts: Uint16Array,
  streams: readonly number[],
  cell: number,
  from: Float64Array | null,
): number {
  const base = baseOf(ring, cell);
  let sum = 0;
  for (const stream of streams) {
    if (from !== null && cell < (from[stream] ?? 0)) continue;
    sum += counts[base + stream] ?? 0;
  }
  return sum;
}

function increment(counts: Uint16Array, at: number): void {
  counts[at] = Math.min(greatestCount, (counts[at] ?? 0) + 1);
}
