/** Cron patterns and time zones of maintenance windows. The library reads the pattern; windows are computed from its fields. */
import { validateDetailed } from 'node-cron';
import type { CronPattern } from '../types/maintenance.ts';
import { bad, ok, type Parsed } from './leaf.ts';

const shape =
  'a cron pattern of five fields: minute, hour, day of month, month, day of week, such as "0 3 * * 2"';

/** Five fields of numbers, names, lists, ranges and steps. Day of month and day of week must both match. */
export function parseCron(value: unknown): Parsed<CronPattern> {
  if (typeof value !== 'string') return bad(shape);
  const text = value.trim();
  if (text.split(/\s+/).length !== 5) return bad(shape);
  const { valid, fields, errors } = validateDetailed(text);
  if (!valid || fields === undefined) {
    const [first] = errors;
    return bad(first === undefined ? shape : `${shape}; ${first.value ?? ''} is no ${wordOf(first.field)}`);
  }
  const daysOfMonth = numbersOf(fields.dayOfMonth);
  const daysOfWeek = numbersOf(fields.dayOfWeek);
  if (daysOfMonth === null || daysOfWeek === null)
    return bad(`${shape}, without L, W and #: for the first Tuesday write "0 3 1-7 * 2"`);
  return ok({
    text,
    minutes: fields.minute,
    hours: fields.hour,
    daysOfMonth,
    months: fields.month,
    daysOfWeek: [...new Set(daysOfWeek.map((day) => day % 7))],
  });
}

/** A zone that this machine's time zone database has. */
export function parseTimezone(value: unknown): Parsed<string> {
  const allowed = 'a time zone of the IANA database, such as Asia/Hong_Kong or UTC';
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(value)) return bad(allowed);
  try {
    // It throws for a zone that it does not know.
    new Intl.DateTimeFormat('en-US', { timeZone: value }).format(0);
    return ok(value);
  } catch {
    return bad(allowed);
  }
}

/** `dayOfMonth` as people say it: day of month. */
function wordOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Null: a day that is not a number, such as L for the last. */
function numbersOf(days: readonly (number | string)[]): readonly number[] | null {
  const numbers = days.map((day) => (typeof day === 'number' ? day : Number(day)));
  return numbers.every((day) => Number.isInteger(day)) ? numbers : null;
}
