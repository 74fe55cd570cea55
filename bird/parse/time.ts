/**
 * BIRD's times. What they look like is the operator's choice (`timeformat`), so every known form is read and anything
 * else is null: an unreadable time is unknown, never zero. Times are BIRD's local ones; they are read as if they were
 * UTC, and are good for comparison with other times of the same BIRD only.
 */

/** A point of time, and of which clock: local ones and seconds since 1970 differ by BIRD's time zone. */
export interface BirdTime {
  readonly clock: 'local' | 'epoch';
  readonly millis: number;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const dayMillis = 86_400_000;

/** The forms a time can have at the start of a text, longest first. */
const timeForms: readonly RegExp[] = [
  /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?=\s|$)/,
  /^\d{4}-\d{2}-\d{2}(?=\s|$)/,
  /^\d{2}-\d{2}-\d{4}(?: \d{2}:\d{2}:\d{2}(?:\.\d+)?)?(?=\s|$)/,
  /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?=\s|$)/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}(?=\s|$)/,
  /^\d{9,}(?:\.\d+)?(?=\s|$)/,
  /^<error>(?=\s|$)/,
];

/** The time that a text begins with, and what comes behind it; null where no known form stands there. */
export function splitTime(text: string): { readonly time: string; readonly rest: string } | null {
  for (const form of timeForms) {
    const time = form.exec(text)?.[0];
    if (time !== undefined) return { time, rest: text.slice(time.length).trim() };
  }
  return null;
}

/** Reads a time by itself. A bare date is null: it names a day, not a point of time. */
export function readTime(text: string): BirdTime | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d+)?)$/.exec(text);
  if (iso !== null) return local(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]), iso[4] ?? '');
  const ctime = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\d{4})$/.exec(text);
  if (ctime !== null)
    return local(Number(ctime[4]), months.indexOf(ctime[1] ?? ''), Number(ctime[2]), ctime[3] ?? '');
  if (/^\d{9,11}(\.\d+)?$/.test(text)) return { clock: 'epoch', millis: Math.round(Number(text) * 1000) };
  return null;
}

/**
 * Milliseconds of a protocol's Since column, beside the `now` of the same BIRD; null where it cannot be compared with it.
 * A bare time of day is today's, or yesterday's if that has not come yet (BIRD shows it for 20 hours).
 */
export function readSince(text: string, now: BirdTime | null): number | null {
  if (now === null) return null;
  const ofDay = timeOfDay(text);
  if (ofDay !== null) {
    if (now.clock === 'epoch') return null;
    const today = Math.floor(now.millis / dayMillis) * dayMillis + ofDay;
    return today > now.millis ? today - dayMillis : today;
  }
  const time = readTime(text);
  return time?.clock === now.clock ? time.millis : null;
}

function local(year: number, month: number, day: number, clock: string): BirdTime | null {
  const ofDay = timeOfDay(clock);
  if (ofDay === null || month < 0 || month > 11 || day < 1 || day > 31) return null;
  return { clock: 'local', millis: Date.UTC(year, month, day) + ofDay };
}

function timeOfDay(text: string): number | null {
  const match = /^(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(text);
  if (match === null) return null;
  const [hours, minutes, seconds] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (hours > 23 || minutes > 59 || seconds >= 61) return null;
  return (hours * 60 + minutes) * 60_000 + Math.round(seconds * 1000);
}
