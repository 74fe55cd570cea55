/** When overrides end, whatever the clocks do. */
import { describe, expect, test } from 'vitest';
import { deadlinesFor, hasEnded } from '../../src/core/overrides/expiry.ts';
import { isAround, isWithin, selectionText } from '../../src/core/overrides/selection.ts';
import { freezeAlarms, overrideAlarms } from '../../src/daemon/operator-alarms.ts';
import type { Override, OverrideSubject } from '../../src/types/override.ts';
import { instant } from '../../src/types/units.ts';

const given = Date.parse('2026-11-30T00:00:00Z');
const hour = 3_600_000;

function drainOf(more: Partial<Override> = {}): Override {
  return {
    subject: { kind: 'selection', uplink: 'cmi', service: null, family: null },
    state: 'drain',
    author: 'kim',
    reason: 'ticket 42',
    at: new Date(given).toISOString(),
    expires: new Date(given + 2 * hour).toISOString(),
    ...more,
  };
}

/** Whether it has ended at a time of both clocks, since it was given at wall `given` and monotonic 0. */
function endedAt(override: Override, wallMillis: number, monotonicMillis: number): boolean {
  const deadlines = deadlinesFor([override], new Map(), given, instant(0));
  return hasEnded(override, deadlines, wallMillis, instant(monotonicMillis));
}

describe('an override for two hours', () => {
  test.each<[string, number, number, boolean]>([
    ['stands a millisecond before both clocks say so', given + 2 * hour - 1, 2 * hour - 1, false],
    ['ends when both say so', given + 2 * hour, 2 * hour, true],
    [
      'ends by monotonic time when the wall clock was put back a year',
      given - 365 * 24 * hour,
      2 * hour,
      true,
    ],
    ['does not end before by a wall clock that was put back', given - hour, 2 * hour - 1, false],
    ['ends by wall time when it was put forward: early is the safe side', given + 3 * hour, 60_000, true],
    ['ends by wall time when the machine stood still meanwhile', given + 2 * hour, 1000, true],
  ])('%s', (_name, wall, monotonic, ended) => {
    expect(endedAt(drainOf(), wall, monotonic)).toBe(ended);
  });

  test('read after a restart under a clock that was put back, lasts at most its whole length again', () => {
    const override = drainOf();
    const wall = given - 100 * hour;
    const deadlines = deadlinesFor([override], new Map(), wall, instant(5000));
    expect(hasEnded(override, deadlines, wall + 2 * hour - 1, instant(5000 + 2 * hour - 1))).toBe(false);
    expect(hasEnded(override, deadlines, wall + 2 * hour, instant(5000 + 2 * hour))).toBe(true);
  });

  test('keeps its first deadline over ticks', () => {
    const override = drainOf();
    const first = deadlinesFor([override], new Map(), given, instant(0));
    const later = deadlinesFor([override], first, given - 50 * hour, instant(hour));
    expect(hasEnded(override, later, given - 50 * hour, instant(2 * hour))).toBe(true);
  });
});

test('one without an end never ends, and one whose end cannot be read has ended', () => {
  expect(endedAt(drainOf({ expires: null }), given + 1e12, 1e12)).toBe(false);
  expect(endedAt(drainOf({ expires: 'tomorrow' }), given, 0)).toBe(true);
});

describe('the reminder', () => {
  test.each([
    [0.9, []],
    [1, ['for 1 day ']],
    [3.5, ['for 3 days ']],
  ])('after %s days', (days, expected) => {
    const texts = overrideAlarms([drainOf({ expires: null })], given + days * 24 * hour).map(
      ({ text }) => text,
    );
    expect(texts).toHaveLength(expected.length);
    for (const part of expected) expect(texts[0]).toContain(part);
  });

  test('is none for what ends by itself', () => {
    expect(overrideAlarms([drainOf()], given + 40 * 24 * hour)).toEqual([]);
  });

  test('of a freeze comes at once', () => {
    const freeze = { author: 'kim', reason: 'carrier is on it', at: drainOf().at };
    expect(freezeAlarms(freeze)[0]?.text).toContain('by kim');
    expect(freezeAlarms(null)).toEqual([]);
  });
});

describe('selections', () => {
  const all = { uplink: null, service: null, family: null };
  const cmi = { ...all, uplink: 'cmi' };
  const cmiWeb = { ...cmi, service: 'web' };
  const announcement: OverrideSubject = { kind: 'announcement', uplink: 'cmi', service: 'web', family: 4 };
  const session: OverrideSubject = { kind: 'session', uplink: 'cmi', family: 4 };

  test.each<[string, OverrideSubject, typeof all | typeof cmi | typeof cmiWeb, boolean, boolean]>([
    ['an announcement of cmi in cmi', announcement, cmi, true, false],
    ['an announcement of cmi in the node', announcement, all, true, false],
    ['a session of cmi in cmi', session, cmi, true, false],
    ['a session of cmi in a service of cmi', session, cmiWeb, false, false],
    ['cmi in cmi', { kind: 'selection', ...cmi }, cmi, true, false],
    ['the node in cmi', { kind: 'selection', ...all }, cmi, false, true],
    ['cmi in a service of cmi', { kind: 'selection', ...cmi }, cmiWeb, false, true],
    ['pccw in cmi', { kind: 'selection', ...all, uplink: 'pccw' }, cmi, false, false],
  ])('%s', (_name, subject, selection, within, around) => {
    expect([isWithin(subject, selection), isAround(subject, selection)]).toEqual([within, around]);
  });

  test.each([
    [all, 'the node'],
    [{ ...all, family: 6 as const }, 'the node IPv6'],
    [{ ...cmiWeb, family: 4 as const }, 'cmi service web IPv4'],
    [{ ...all, service: 'web' }, 'service web'],
  ])('%j is %s', (selection, text) => {
    expect(selectionText(selection)).toBe(text);
  });
});
