/** Who announces a service in a family: seen exported, ready, not failed, and not about to be taken away. */
import type { Family } from '../../types/units.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';

export type AnnouncementWord = Presence['announcements'][number];

/** What one announcement is to the fleet. */
export type AnnouncerState =
  | 'announces'
  | 'failed'
  | 'not-ready'
  | 'leaving'
  | 'drained'
  | 'absent'
  | 'session-down'
  | 'unknown';

/** In observe mode nothing is done of what is wished: there only what is seen counts. */
export function announcerState(one: AnnouncementWord, mode: Presence['mode']): AnnouncerState {
  if (one.seen !== 'exported') return one.seen;
  if (mode === 'live' && one.wish === 'withdraw') return 'leaving';
  if (!one.ready) return 'not-ready';
  return one.health === 'failed' ? 'failed' : 'announces';
}

/** Whether a node has an announcer of the service and family. */
export function announces({ announcements, mode }: Presence, service: string, family: Family): boolean {
  return announcements.some(
    (one) => one.service === service && one.family === family && announcerState(one, mode) === 'announces',
  );
}
