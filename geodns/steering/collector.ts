/**
 * Beacons summed up: for each segment and carrier a histogram, in slots of time that fall away one by one. Memory is
 * bounded by the number of cells and of sources in a slot, whatever comes. One source (the /24 or /48 of a user, known
 * by a hash whose key dies with the process) counts a few times in a slot, however much it sends.
 */
import { addInto, bucketOf, emptyHistogram, type Histogram } from './histogram.ts';
import { type Segment, segmentKey } from './segment.ts';

export interface CollectorBounds {
  readonly slotMillis: number;
  readonly slots: number;
  /** Segments × carriers in one slot. */
  readonly mostCells: number;
  /** Sources × cells in the slot that is being filled. */
  readonly mostSources: number;
  /** Beacons of one source that count in a cell and slot. */
  readonly perSource: number;
}

export const defaultBounds: CollectorBounds = {
  slotMillis: 600_000,
  slots: 6,
  mostCells: 4000,
  mostSources: 100_000,
  perSource: 6,
};

export interface Measured {
  readonly segment: Segment;
  readonly carrier: string;
  /** null: it failed. */
  readonly rttMillis: number | null;
  readonly source: string;
}

/** capped: its source has had its say; full: no room for more cells or sources in this slot. */
export type Taken = 'counted' | 'capped' | 'full';

/** What is known of one segment and carrier over all slots. */
export interface Evidence {
  readonly segment: Segment;
  readonly carrier: string;
  readonly histogram: Histogram;
  /** Different sources in the slot that had the most of them. */
  readonly sources: number;
}

interface Cell {
  readonly segment: Segment;
  readonly carrier: string;
  readonly histogram: Histogram;
  sources: number;
}

interface Slot {
  readonly number: number;
  readonly cells: Map<string, Cell>;
}

export class Collector {
  private readonly bounds: CollectorBounds;
  private slots: Slot[] = [];
  private readonly said = new Map<string, number>();

  constructor(bounds: CollectorBounds = defaultBounds) {
    this.bounds = bounds;
  }

  /** `nowMillis`: a clock that does not go back; a beacon from before the newest slot counts into it. */
  add(measured: Measured, nowMillis: number): Taken {
    const { cells } = this.slotAt(nowMillis);
    const key = `${measured.carrier} ${segmentKey(measured.segment)}`;
    const known = cells.get(key);
    if (known === undefined && cells.size >= this.bounds.mostCells) return 'full';
    const saying = `${key} ${measured.source}`;
    const said = this.said.get(saying) ?? 0;
    if (said >= this.bounds.perSource) return 'capped';
    if (said === 0 && this.said.size >= this.bounds.mostSources) return 'full';
    const cell = known ?? {
      segment: measured.segment,
      carrier: measured.carrier,
      histogram: emptyHistogram(),
      sources: 0,
    };
    cells.set(key, cell);
    this.said.set(saying, said + 1);
    if (said === 0) cell.sources += 1;
    const bucket = bucketOf(measured.rttMillis);
    cell.histogram[bucket] = (cell.histogram[bucket] ?? 0) + 1;
    return 'counted';
  }

  /** Of the last slots that have not fallen away. */
  evidence(nowMillis: number): readonly Evidence[] {
    this.slotAt(nowMillis);
    const sums = new Map<string, Cell>();
    for (const { cells } of this.slots) {
      for (const [key, cell] of cells) {
        const sum = sums.get(key) ?? { ...cell, histogram: emptyHistogram(), sources: 0 };
        sums.set(key, sum);
        addInto(sum.histogram, cell.histogram);
        sum.sources = Math.max(sum.sources, cell.sources);
      }
    }
    return [...sums.values()];
  }

  /** Cells of the newest slot, for metrics. */
  get size(): number {
    return this.slots.at(-1)?.cells.size ?? 0;
  }

  private slotAt(nowMillis: number): Slot {
    const number = Math.floor(nowMillis / this.bounds.slotMillis);
    const last = this.slots.at(-1);
    if (last !== undefined && last.number >= number) return last;
    const fresh: Slot = { number, cells: new Map() };
    this.slots = [...this.slots, fresh].filter((slot) => slot.number > number - this.bounds.slots);
    this.said.clear();
    return fresh;
  }
}
