/** Sizes of files, such as `64MB`; decimal, as disks are sold. */
import { bad, leaf, ok, type Parsed } from './leaf.ts';
import type { Bounds } from './quantities.ts';

const units: ReadonlyMap<string, number> = new Map([
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
]);

/** A size in bytes; bounds likewise. */
export function parseSize(value: unknown, bounds: Bounds): Parsed<number> {
  const range = `from ${formatSize(bounds.min)} to ${formatSize(bounds.max)}`;
  const allowed = `a size ${range}: a whole number with kB, MB or GB, such as 64MB`;
  const match = typeof value === 'string' ? /^(\d{1,9})(kB|MB|GB)$/.exec(value) : null;
  const bytes = Number(match?.[1]) * (units.get(match?.[2] ?? '') ?? Number.NaN);
  return bytes >= bounds.min && bytes <= bounds.max ? ok(bytes) : bad(allowed);
}

/** Prints a size of whole kB in the largest unit that leaves a whole number. */
export function formatSize(bytes: number): string {
  for (const [unit, size] of units) if (bytes % size === 0) return `${bytes / size}${unit}`;
  return `${Math.round(bytes / 1000)}kB`;
}

/** A size; bounds in bytes. */
export function fileSize(sentence: string, bounds: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\d+(kB|MB|GB)$` };
  return leaf(sentence, editor, (value) => parseSize(value, bounds));
}
