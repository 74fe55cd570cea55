/** Windows in which a carrier works on an uplink: begun by a cron pattern in a named time zone, as long as `duration`. */
import type { Millis } from './units.ts';

/** A cron pattern of five fields with every field written out; a date must match day of month and day of week alike. */
export interface CronPattern {
  /** As it stands in the file. */
  readonly text: string;
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 to 6, Sunday first. */
  readonly daysOfWeek: readonly number[];
}

export interface MaintenanceWindow {
  readonly uplink: string;
  /** null: all services. */
  readonly service: string | null;
  readonly cron: CronPattern;
  /** Of the IANA database, such as Asia/Hong_Kong. */
  readonly timezone: string;
  readonly durationMillis: Millis;
  readonly state: 'drain' | 'withdraw';
  /** Of a withdrawal: how long before it the uplink is drained. */
  readonly drainBeforeMillis: Millis;
  readonly reason: string;
}
