/**
 * Wall time and the local time of a zone of the IANA database. Pure: `Intl` gives the same answer for the same zone
 * and time. Times are milliseconds since 1970 in UTC.
 *
 * Where a clock is put forward, a local time that does not exist means the moment as if it had not been; where it is put
 * back, one that exists twice means the first.
 */

/** A day of the calendar; month 1 to 12. */
export interface LocalDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const dayMillis = 86_400_000;
/** Formatters are dear to make. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The local day at this time. Throws a RangeError for a zone that is not known. */
export function localDay(atMillis: number, timezone: string): LocalDay {
  const local = new Date(atMillis + offsetMillis(atMillis, timezone));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() };
}

/** 0 for Sunday to 6. */
export function weekdayOf({ year, month, day }: LocalDay): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

export function dayAfter({ year, month, day }: LocalDay): LocalDay {
  const next = new Date(Date.UTC(year, month - 1, day + 1));
  return { year: next.getUTCFullYear(), month: next.getUTCMonth() + 1, day: next.getUTCDate() };
}

/** A function from hour and minute of one local day to wall time; the zone is asked once where its clock is not changed. */
export function clockOf(
  { year, month, day }: LocalDay,
  timezone: string,
): (hour: number, minute: number) => number {
  const midnight = Date.UTC(year, month - 1, day);
  const before = offsetMillis(midnight - dayMillis, timezone);
  const after = offsetMillis(midnight + 2 * dayMillis, timezone);
  return (hour, minute) => {
    const local = midnight + (hour * 60 + minute) * 60_000;
    if (before === after) return local - before;
    const fits = [local - before, local - after].filter(
      (candidate) => candidate + offsetMillis(candidate, timezone) === local,
    );
    return fits.length === 0 ? local - before : Math.min(...fits);
  };
}

/** Local time minus UTC, at a moment. */
function offsetMillis(atMillis: number, timezone: string): number {
  const fields = new Map(
    formatterOf(timezone)
      .formatToParts(atMillis)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const field = (type: Intl.DateTimeFormatPartTypes): number => fields.get(type) ?? 0;
  const local = Date.UTC(
    field('year'),
    field('month') - 1,
    field('day'),
    field('hour'),
    field('minute'),
    field('second'),
  );
  return local - Math.floor(atMillis / 1000) * 1000;
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timezone, made);
  return made;
}
