/** A queue by time (binary heap): what is due next comes out first. */
import type { Instant } from '../src/types/units.ts';

export interface Timetable<T> {
  readonly size: () => number;
  /** The entry that is due first, left where it is; null where there is none. */
  readonly first: () => Entry<T> | null;
  readonly add: (at: Instant, entry: T) => void;
  /** Takes the first entry out. Entries of one instant come in no order. */
  readonly drop: () => void;
}

export interface Entry<T> {
  readonly at: Instant;
  readonly entry: T;
}

/** An empty one. Adding and dropping cost the logarithm of its size. */
export function makeTimetable<T>(): Timetable<T> {
  const heap: Entry<T>[] = [];
  return {
    size: () => heap.length,
    first: () => heap[0] ?? null,
    add: (at, entry) => {
      heap.push({ at, entry });
      rise(heap);
    },
    drop: () => {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return;
      heap[0] = last;
      sink(heap);
    },
  };
}

function rise<T>(heap: Entry<T>[]): void {
  let at = heap.length - 1;
  const moving = heap[at];
  if (moving === undefined) return;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || above.at <= moving.at) return;
    heap[parent] = moving;
    heap[at] = above;
    at = parent;
  }
}

function sink<T>(heap: Entry<T>[]): void {
  let at = 0;
  const moving = heap[0];
  if (moving === undefined) return;
  for (;;) {
    const left = heap[2 * at + 1];
    if (left === undefined) return;
    const right = heap[2 * at + 2];
    const child = right !== undefined && right.at < left.at ? 2 * at + 2 : 2 * at + 1;
    const below = child === 2 * at + 1 ? left : right;
    if (below === undefined || moving.at <= below.at) return;
    heap[child] = moving;
    heap[at] = below;
    at = child;
  }
}
