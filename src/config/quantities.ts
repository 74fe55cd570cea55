/** Quantities with their units in the value: `200ms`, `5%`, `1/10y`. Each is parsed and printed here alone. */
import { millis, ratio, type Millis, type Ratio } from '../types/units.ts';
import { bad, ok, type Parsed } from './leaf.ts';

/** Milliseconds of each unit, largest first. A year has 365 days: budgets are no calendar. */
const unitMillis: ReadonlyMap<string, number> = new Map([
  ['y', 365 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
]);

/** Both ends are allowed. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A length of time such as `200ms` or `5s`, in whole milliseconds; plain 0 needs no unit. Bounds in ms. */
export function parseDuration(value: unknown, bounds: Bounds): Parsed<Millis> {
  const range = `from ${formatDuration(bounds.min)} to ${formatDuration(bounds.max)}`;
  const allowed = `a duration ${range}: a number with ms, s, min, h or d, such as 5s`;
  const length = value === 0 ? 0 : durationMillis(value, /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|min|h|d)$/);
  if (length === null) return bad(allowed);
  if (!Number.isInteger(length)) return bad(`${allowed}, in whole milliseconds`);
  if (length < bounds.min || length > bounds.max) return bad(allowed);
  return ok(millis(length));
}

/** Prints a length of time in ms in the largest unit that leaves a whole number. Never in years: `d` is the largest. */
export function formatDuration(length: number): string {
  if (length === 0) return '0s';
  for (const [unit, size] of unitMillis)
    if (unit !== 'y' && length % size === 0) return `${length / size}${unit}`;
  return `${length}ms`;
}

/** A percentage such as `0.5%`; bounds as ratios. */
export function parsePercent(value: unknown, bounds: Bounds): Parsed<Ratio> {
  const range = `from ${formatRatio(bounds.min)} to ${formatRatio(bounds.max)}`;
  const allowed = `a percentage ${range}: a number with %, such as 5%`;
  const match = typeof value === 'string' ? /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(value) : null;
  if (match === null) return bad(allowed);
  // 33.3 / 100 is 0.33299999999999996 in binary; the grammar has nine digits at most.
  const share = Number((Number(match[1]) / 100).toPrecision(12));
  return share < bounds.min || share > bounds.max ? bad(allowed) : ok(ratio(share));
}

/** A surplus such as `+60%`: that much more than what is usual; 0.6 is 60 % more. */
export function parseSurplus(value: unknown, bounds: Bounds): Parsed<number> {
  const range = `from +${formatRatio(bounds.min)} to +${formatRatio(bounds.max)}`;
  const allowed = `a surplus ${range}: a plus, a number and %, such as +60%`;
  const match = typeof value === 'string' ? /^\+(\d{1,5}(?:\.\d{1,4})?)%$/.exec(value) : null;
  if (match === null) return bad(allowed);
  const share = Number((Number(match[1]) / 100).toPrecision(12));
  return share < bounds.min || share > bounds.max ? bad(allowed) : ok(share);
}

/** Prints a ratio as a percentage that parses to the same ratio. */
export function formatRatio(share: number): string {
  // 0.07 * 100 is 7.000000000000001; what the parser takes has nine digits at most.
  return `${Number((share * 100).toPrecision(9))}%`;
}

/** A budget such as `1/10y`, one in ten years, as the mean time between two in ms; bounds in ms. */
export function parseRate(value: unknown, bounds: Bounds): Parsed<Millis> {
  const range = `from ${formatRate(bounds.max)} to ${formatRate(bounds.min)}`;
  const allowed = `a budget ${range}: a count, a slash and a time with min, h, d or y, such as 1/10y`;
  const match = typeof value === 'string' ? /^([1-9]\d{0,5})\/(.+)$/.exec(value) : null;
  const period = match === null ? null : durationMillis(match[2], /^(\d{1,9}(?:\.\d{1,6})?)(min|h|d|y)$/);
  if (match === null || period === null) return bad(allowed);
  const between = Math.round(period / Number(match[1]));
  return between < bounds.min || between > bounds.max ? bad(allowed) : ok(millis(between));
}

/** Prints a mean time between events as `1/<time>`. */
export function formatRate(between: number): string {
  for (const [unit, size] of unitMillis)
    if (unit !== 's' && unit !== 'ms' && between % size === 0) return `1/${between / size}${unit}`;
  // A count over a period of whole minutes that gives the same mean time, to the millisecond.
  for (let count = 2; count <= 100_000; count += 1) {
    const minutes = Math.round((between * count) / 60_000);
    if (Math.round((minutes * 60_000) / count) === between) return `${count}/${minutes}min`;
  }
  return `1/${Number((between / 60_000).toFixed(6))}min`;
}

/** A count within a time, such as three in a quarter of an hour. */
export interface CountIn {
  readonly count: number;
  readonly windowMillis: Millis;
}

/** How often something may be within a time, such as `3/15min`; bounds of the count, and of the time in ms. */
export function parseCount(value: unknown, counts: Bounds, windows: Bounds): Parsed<CountIn> {
  const range = `a count from ${counts.min} to ${counts.max}, a slash and a time from ${formatDuration(windows.min)} to ${formatDuration(windows.max)}`;
  const match = typeof value === 'string' ? /^(\d{1,6})\/(.+)$/.exec(value) : null;
  const window = match === null ? null : durationMillis(match[2], /^(\d{1,9}(?:\.\d{1,6})?)(s|min|h|d)$/);
  const count = Number(match?.[1]);
  const fits = window !== null && Number.isInteger(window) && window >= windows.min && window <= windows.max;
  if (match === null || !fits || count < counts.min || count > counts.max)
    return bad(`${range}, such as 3/15min`);
  return ok({ count, windowMillis: millis(window) });
}

/** Prints a count within a time so that it parses to the same. */
export function formatCount({ count, windowMillis }: CountIn): string {
  return `${count}/${formatDuration(windowMillis)}`;
}

const bitUnits: ReadonlyMap<string, number> = new Map([
  ['gbit', 1e9],
  ['mbit', 1e6],
  ['kbit', 1e3],
]);

/** What a link carries, such as `10gbit`, in bits per second; bounds likewise. */
export function parseBitRate(value: unknown, bounds: Bounds): Parsed<number> {
  const allowed = `a rate from ${formatBitRate(bounds.min)} to ${formatBitRate(bounds.max)}: a number with kbit, mbit or gbit, such as 10gbit`;
  const match = typeof value === 'string' ? /^(\d{1,9}(?:\.\d{1,3})?)(kbit|mbit|gbit)$/.exec(value) : null;
  const bits = Math.round(Number(match?.[1]) * (bitUnits.get(match?.[2] ?? '') ?? Number.NaN));
  return bits >= bounds.min && bits <= bounds.max ? ok(bits) : bad(allowed);
}

/** Prints bits per second so that they parse to the same. */
export function formatBitRate(bits: number): string {
  for (const [unit, size] of bitUnits) if (bits % size === 0) return `${bits / size}${unit}`;
  return `${bits / 1e3}kbit`;
}

function durationMillis(value: unknown, grammar: RegExp): number | null {
  const match = typeof value === 'string' ? grammar.exec(value) : null;
  const size = unitMillis.get(match?.[2] ?? '');
  if (match === null || size === undefined) return null;
  const length = Number(match[1]) * size;
  // 1.1 s is 1100.0000000000002 in binary; further off than that is a fraction that somebody wrote.
  const whole = Math.round(length);
  return Math.abs(length - whole) < 1e-6 * Math.max(1, whole / 1e6) ? whole : length;
}
