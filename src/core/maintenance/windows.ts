/**
 * Maintenance windows as overrides of author `maintenance`. Nothing is remembered: what is open follows from the
 * pattern, the zone, the duration and the time alone, so a restart in the middle of a window knows it.
 *
 *   start − drain_before        start                         start + duration
 *   ├── drained (withdraw only) ┼── the window's own state ───┤ restored, without a hold
 *
 * Windows that overlap: each announcement has the stronger state of those that cover it.
 */
import type { CronPattern, MaintenanceWindow } from '../../types/maintenance.ts';
import type { Override } from '../../types/override.ts';
import { clockOf, dayAfter, type LocalDay, localDay, weekdayOf } from './local-time.ts';

const dayMillis = 86_400_000;

/** When a pattern begins a window within [from, to], in order; wall time in ms. */
export function startsBetween(
  cron: CronPattern,
  timezone: string,
  fromMillis: number,
  toMillis: number,
): readonly number[] {
  const starts = new Set<number>();
  const end = localDay(toMillis + dayMillis, timezone);
  for (
    let day = localDay(fromMillis - dayMillis, timezone);
    compareDays(day, end) <= 0;
    day = dayAfter(day)
  ) {
    if (!matches(cron, day)) continue;
    const wallOf = clockOf(day, timezone);
    for (const hour of cron.hours) for (const minute of cron.minutes) starts.add(wallOf(hour, minute));
  }
  return [...starts].filter((start) => start >= fromMillis && start <= toMillis).sort((a, b) => a - b);
}

/** The starts that can matter at a moment, and until when that list is good. */
export interface WindowStarts {
  readonly window: MaintenanceWindow;
  readonly starts: readonly number[];
}

/** How far back and ahead of a moment a window's starts matter, in ms. */
export function reachOf({ durationMillis, state, drainBeforeMillis }: MaintenanceWindow): {
  readonly back: number;
  readonly ahead: number;
} {
  return { back: durationMillis, ahead: state === 'withdraw' ? drainBeforeMillis : 0 };
}

/** The overrides of all windows that are open at this wall time, or drained ahead. */
export function maintenanceAt(windows: readonly WindowStarts[], atMillis: number): readonly Override[] {
  const open = windows.flatMap((one) => openAt(one, atMillis));
  const bySubject = new Map<string, Override>();
  for (const override of open) {
    const { uplink, service } = selectionOf(override);
    const key = `${uplink} ${service ?? '*'}`;
    const known = bySubject.get(key);
    const longer = known === undefined || isStronger(override, known) ? override : known;
    bySubject.set(key, longer);
  }
  return [...bySubject.values()].map((override) => raised(override, open));
}

function openAt({ window, starts }: WindowStarts, atMillis: number): readonly Override[] {
  const { ahead } = reachOf(window);
  const near = starts.filter(
    (start) => start - ahead <= atMillis && atMillis < start + window.durationMillis,
  );
  const last = near.at(-1);
  if (last === undefined) return [];
  const begun = near.filter((start) => start <= atMillis);
  const first = begun[0] ?? last;
  const until = new Date((begun.at(-1) ?? last) + window.durationMillis).toISOString();
  const drainedAhead = begun.length === 0;
  const reason = drainedAhead
    ? `${window.reason}; withdrawn from ${new Date(last).toISOString()}`
    : window.reason;
  return [
    {
      subject: { kind: 'selection', uplink: window.uplink, service: window.service, family: null },
      state: drainedAhead ? 'drain' : window.state,
      author: 'maintenance',
      reason,
      at: new Date(drainedAhead ? last - ahead : first).toISOString(),
      expires: until,
    },
  ];
}

/** A window for one service is never weaker than one for the whole uplink that is open too. */
function raised(override: Override, open: readonly Override[]): Override {
  const { uplink, service } = selectionOf(override);
  const covering = open.filter((one) => {
    const other = selectionOf(one);
    return other.uplink === uplink && (other.service === null || other.service === service);
  });
  return covering.reduce(
    (best, one) => (isStronger(one, best) ? { ...one, subject: best.subject } : best),
    override,
  );
}

/** Withdrawn before drained; of the same state the one that ends later. */
function isStronger(a: Override, b: Override): boolean {
  if (a.state !== b.state) return a.state === 'withdraw';
  return (a.expires ?? '') > (b.expires ?? '');
}

function selectionOf({ subject }: Override): { readonly uplink: string; readonly service: string | null } {
  return {
    uplink: subject.uplink ?? '',
    service: subject.kind === 'selection' ? subject.service : null,
  };
}

function matches(cron: CronPattern, day: LocalDay): boolean {
  return (
    cron.months.includes(day.month) &&
    cron.daysOfMonth.includes(day.day) &&
    cron.daysOfWeek.includes(weekdayOf(day))
  );
}

function compareDays(a: LocalDay, b: LocalDay): number {
  return a.year - b.year || a.month - b.month || a.day - b.day;
}
