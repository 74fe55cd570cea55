/** When maintenance windows are open: from pattern, zone, duration and time alone. */
import { describe, expect, test } from 'vitest';
import { parseCron } from '../../src/config/cron.ts';
import {
  maintenanceAt,
  reachOf,
  startsBetween,
  type WindowStarts,
} from '../../src/core/maintenance/windows.ts';
import { openCalendar } from '../../src/daemon/maintenance.ts';
import type { CronPattern, MaintenanceWindow } from '../../src/types/maintenance.ts';
import { millis } from '../../src/types/units.ts';

function cron(text: string): CronPattern {
  const parsed = parseCron(text);
  if (parsed.kind === 'bad') throw new Error(JSON.stringify(parsed.flaws));
  return parsed.value;
}

function window(more: Partial<MaintenanceWindow> & { readonly pattern?: string } = {}): MaintenanceWindow {
  const { pattern, ...rest } = more;
  return {
    uplink: 'cmi',
    service: null,
    cron: cron(pattern ?? '0 3 * * 2'),
    timezone: 'Asia/Hong_Kong',
    durationMillis: millis(7_200_000),
    state: 'drain',
    drainBeforeMillis: millis(600_000),
    reason: 'carrier window',
    ...rest,
  };
}

const at = (time: string): number => Date.parse(time);
const startsOn = (one: MaintenanceWindow, from: string, to: string): readonly string[] =>
  startsBetween(one.cron, one.timezone, at(from), at(to)).map((start) => new Date(start).toISOString());

function openAt(time: string, ...windows: readonly MaintenanceWindow[]): readonly string[] {
  const near = windows.map((one): WindowStarts => {
    const { back, ahead } = reachOf(one);
    return { window: one, starts: startsBetween(one.cron, one.timezone, at(time) - back, at(time) + ahead) };
  });
  return maintenanceAt(near, at(time)).map(({ subject, state, expires }) => {
    const service = subject.kind === 'selection' ? (subject.service ?? '*') : '?';
    return `${subject.uplink} ${service} ${state} until ${expires}`;
  });
}

describe('starts', () => {
  test.each([
    ['0 3 * * 2', 'Asia/Hong_Kong', ['2026-11-30T19:00:00.000Z']],
    ['0 3 * * 2', 'UTC', ['2026-12-01T03:00:00.000Z']],
    ['30 23 30 11 *', 'America/New_York', ['2026-12-01T04:30:00.000Z']],
    ['0 */12 1 12 *', 'UTC', ['2026-12-01T00:00:00.000Z', '2026-12-01T12:00:00.000Z']],
    // Day of month and of week must both match: the first Tuesday.
    ['0 3 1-7 * 2', 'UTC', ['2026-12-01T03:00:00.000Z']],
    ['0 3 8-14 * 2', 'UTC', []],
  ])('of %s in %s', (pattern, timezone, expected) => {
    const one = window({ pattern, timezone });
    expect(startsOn(one, '2026-11-30T12:00:00Z', '2026-12-02T02:00:00Z')).toEqual(expected);
  });

  test('a time that the clock skips is taken as if it had not been put forward', () => {
    // New York: 2026-03-08 02:00 EST becomes 03:00 EDT; 02:30 is 07:30 UTC.
    const one = window({ pattern: '30 2 * * *', timezone: 'America/New_York' });
    expect(startsOn(one, '2026-03-07T00:00:00Z', '2026-03-10T00:00:00Z')).toEqual([
      '2026-03-07T07:30:00.000Z',
      '2026-03-08T07:30:00.000Z',
      '2026-03-09T06:30:00.000Z',
    ]);
  });

  test('a time that comes twice is taken once, the first', () => {
    // New York: 2026-11-01 02:00 EDT becomes 01:00 EST; 01:30 is 05:30 and 06:30 UTC.
    const one = window({ pattern: '30 1 * * *', timezone: 'America/New_York' });
    expect(startsOn(one, '2026-11-01T00:00:00Z', '2026-11-02T12:00:00Z')).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ]);
  });

  test('a shift of half an hour and one at midnight are no trouble', () => {
    // Lord Howe: 2026-10-04 02:00 becomes 02:30; Beirut: 2026-03-29 00:00 becomes 01:00.
    const howe = window({ pattern: '15 2 4 10 *', timezone: 'Australia/Lord_Howe' });
    expect(startsOn(howe, '2026-10-03T00:00:00Z', '2026-10-05T00:00:00Z')).toEqual([
      '2026-10-03T15:45:00.000Z',
    ]);
    const beirut = window({ pattern: '30 0 29 3 *', timezone: 'Asia/Beirut' });
    expect(startsOn(beirut, '2026-03-28T00:00:00Z', '2026-03-30T00:00:00Z')).toEqual([
      '2026-03-28T22:30:00.000Z',
    ]);
  });
});

describe('what is open', () => {
  test('drains from start to end, and neither a millisecond before nor at the end', () => {
    expect(openAt('2026-11-30T18:59:59.999Z', window())).toEqual([]);
    expect(openAt('2026-11-30T19:00:00Z', window())).toEqual(['cmi * drain until 2026-11-30T21:00:00.000Z']);
    expect(openAt('2026-11-30T20:59:59.999Z', window())).toHaveLength(1);
    expect(openAt('2026-11-30T21:00:00Z', window())).toEqual([]);
  });

  test('a withdrawal is drained before', () => {
    const one = window({ state: 'withdraw' });
    expect(openAt('2026-11-30T18:49:59Z', one)).toEqual([]);
    expect(openAt('2026-11-30T18:50:00Z', one)).toEqual(['cmi * drain until 2026-11-30T21:00:00.000Z']);
    expect(openAt('2026-11-30T19:00:00Z', one)).toEqual(['cmi * withdraw until 2026-11-30T21:00:00.000Z']);
  });

  test('of windows that overlap, the stronger state, and the later end of equal ones', () => {
    const drained = window({ durationMillis: millis(4 * 3_600_000) });
    const withdrawn = window({ state: 'withdraw', drainBeforeMillis: millis(0) });
    expect(openAt('2026-11-30T20:00:00Z', drained, withdrawn)).toEqual([
      'cmi * withdraw until 2026-11-30T21:00:00.000Z',
    ]);
    expect(openAt('2026-11-30T21:30:00Z', drained, withdrawn)).toEqual([
      'cmi * drain until 2026-11-30T23:00:00.000Z',
    ]);
    expect(openAt('2026-11-30T20:00:00Z', drained, window())).toEqual([
      'cmi * drain until 2026-11-30T23:00:00.000Z',
    ]);
  });

  test('a window of one service is never weaker than one of the whole uplink', () => {
    const whole = window({ state: 'withdraw', drainBeforeMillis: millis(0) });
    const web = window({ service: 'web', durationMillis: millis(4 * 3_600_000) });
    expect(openAt('2026-11-30T20:00:00Z', web, whole)).toEqual([
      'cmi web withdraw until 2026-11-30T21:00:00.000Z',
      'cmi * withdraw until 2026-11-30T21:00:00.000Z',
    ]);
  });

  test('windows that follow one another without a gap are one', () => {
    const one = window({ pattern: '0 * * * *', durationMillis: millis(3_660_000) });
    expect(openAt('2026-11-30T20:00:30Z', one)).toEqual(['cmi * drain until 2026-11-30T21:01:00.000Z']);
  });

  test('the calendar of a daemon says the same as a fresh one at every time, forwards and backwards', () => {
    const windows = [
      window({ pattern: '*/50 1-22/3 * * *', durationMillis: millis(1_500_000), state: 'withdraw' }),
      window({ pattern: '0 4 * * *', uplink: 'pccw', durationMillis: millis(10_800_000) }),
    ];
    const calendar = openCalendar(() => windows);
    const begin = at('2026-03-28T00:00:00Z');
    const hops = Array.from({ length: 400 }, (_, index) => begin + ((index * 7919) % 2880) * 60_000);
    for (const time of hops) expect(calendar.at(time)).toEqual(openCalendar(() => windows).at(time));
    expect(hops.some((time) => calendar.at(time).length > 0)).toBe(true);
    expect(hops.some((time) => calendar.at(time).length === 0)).toBe(true);
  });
});
