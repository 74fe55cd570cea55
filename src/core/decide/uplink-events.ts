/**
 * The budget `max_withdrawals`. An uplink event is an uplink that a link verdict withdraws, with all its services and
 * families; what follows on the same uplink within `together` belongs to it. A link or session that is down never counts.
 */
import { after, elapsed, type Instant, type Millis } from '../../types/units.ts';

/** Plain data. */
export interface UplinkEvent {
  readonly uplink: string;
  readonly at: Instant;
}

export interface EventLimit {
  readonly count: number;
  readonly windowMillis: Millis;
}

/** Those that still count, oldest first. */
export function recentEvents(
  events: readonly UplinkEvent[],
  limit: EventLimit,
  now: Instant,
): readonly UplinkEvent[] {
  return events.filter(({ at }) => elapsed(at, now) < limit.windowMillis);
}

/** When the budget has room again; null: it has now. `events` are recent ones. */
export function spentUntil(events: readonly UplinkEvent[], limit: EventLimit): Instant | null {
  const oldest = events.at(-limit.count);
  return oldest === undefined ? null : after(oldest.at, limit.windowMillis);
}

/** Whether a withdrawal on this uplink belongs to an event that was counted. */
export function isCounted(
  events: readonly UplinkEvent[],
  uplink: string,
  together: Millis,
  now: Instant,
): boolean {
  return events.some((one) => one.uplink === uplink && elapsed(one.at, now) <= together);
}

export function countEvent(
  events: readonly UplinkEvent[],
  uplink: string,
  together: Millis,
  now: Instant,
): readonly UplinkEvent[] {
  return isCounted(events, uplink, together, now) ? events : [...events, { uplink, at: now }];
}
