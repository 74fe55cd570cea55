/**
 * When an override ends. Two clocks are asked, and the first that says so ends it:
 *
 *   wall time        reaches `expires`
 *   monotonic time   has run, since the override was given or read, as long as wall time then said was left
 *
 * A wall clock that is put back can therefore not lengthen an override, and one that is put forward ends it early. Early
 * is the safe side: verdicts and guards decide again, whereas an override that outlives its time has no guard above it.
 * After a restart what is left is read from wall time again, but never more than the whole length that was given.
 */
import type { Override } from '../../types/override.ts';
import { after, type Instant, millis } from '../../types/units.ts';
import { subjectKey } from '../hands/subject.ts';

/** By `deadlineKey`; of overrides that expire. */
export type Deadlines = ReadonlyMap<string, Instant>;

/** One override, given once. */
export function deadlineKey({ subject, at }: Override): string {
  return `${subjectKey(subject)} ${at}`;
}

/** Deadlines for all that expire; those that are known stay. `wallMillis` and `now` are the same moment. */
export function deadlinesFor(
  overrides: readonly Override[],
  known: Deadlines,
  wallMillis: number,
  now: Instant,
): Deadlines {
  const deadlines = new Map<string, Instant>();
  for (const override of overrides) {
    if (override.expires === null) continue;
    const key = deadlineKey(override);
    deadlines.set(key, known.get(key) ?? after(now, millis(leftMillis(override, wallMillis))));
  }
  return deadlines;
}

/** Whether it has ended. One whose times cannot be read has ended: nobody can say how long it was meant. */
export function hasEnded(
  override: Override,
  deadlines: Deadlines,
  wallMillis: number,
  now: Instant,
): boolean {
  if (override.expires === null) return false;
  const expires = Date.parse(override.expires);
  const deadline = deadlines.get(deadlineKey(override));
  return !(wallMillis < expires) || (deadline !== undefined && now >= deadline);
}

/** What is left by wall time, and at most the length that was given. */
function leftMillis({ at, expires }: Override, wallMillis: number): number {
  const end = Date.parse(expires ?? '');
  const left = Math.min(end - wallMillis, end - Date.parse(at));
  return Number.isFinite(left) ? Math.max(0, left) : 0;
}
