import { test as prop, fc } from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { nextPace, phaseOf, startPace } from '../../probes/pace.ts';
import { makeTimetable } from '../../probes/timetable.ts';
import { handshakeTimeoutMillis } from '../../probes/tcp.ts';
import { instant, millis } from '../../src/types/units.ts';

const interval = millis(200);

describe('pace', () => {
  prop.prop([
    fc.array(fc.record({ random: fc.double({ min: 0, max: 1, noNaN: true }), late: fc.nat(2000) })),
  ])('never sends two probes within half an interval and never makes up for missed slots', (steps) => {
    let pace = startPace(interval, 0.3, instant(0));
    let sent = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const { random, late } of steps) {
      const now = instant(pace.nextAt + late);
      expect(now - last).toBeGreaterThanOrEqual(interval / 2);
      last = now;
      sent += 1;
      pace = nextPace(pace, random, now);
      expect(pace.nextAt - now).toBeLessThanOrEqual(interval * 1.6 + 1e-6);
    }
    expect(sent).toBeLessThanOrEqual(Math.max(0, last) / (interval / 2) + 1);
  });

  prop.prop([fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 50, maxLength: 200 })])(
    'keeps the mean interval whatever the jitter',
    (randoms) => {
      let pace = startPace(interval, 0, instant(0));
      for (const random of randoms) pace = nextPace(pace, random, pace.nextAt);
      expect(Math.abs(pace.nextAt / randoms.length - interval)).toBeLessThanOrEqual(
        (interval * 0.1) / randoms.length + 1e-6,
      );
    },
  );

  test('an early turn does not use the same slot twice', () => {
    const pace = nextPace(startPace(interval, 0.5, instant(0)), 0.5, instant(92));
    expect(pace.nextAt).toBe(300);
  });

  test('forty streams are spread so that no tenth of the interval holds more than seven', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 40; index += 1) {
      const tenth = Math.floor(phaseOf(index) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(Math.max(...tenths)).toBeLessThanOrEqual(7);
  });
});

describe('timetable', () => {
  prop.prop([fc.array(fc.integer({ min: 0, max: 1000 }))])('gives its entries in order of time', (times) => {
    const table = makeTimetable<number>();
    for (const at of times) table.add(instant(at), at);
    const out: number[] = [];
    for (let first = table.first(); first !== null; first = table.first()) {
      out.push(first.entry);
      table.drop();
    }
    expect(out).toEqual(times.toSorted((left, right) => left - right));
  });
});

test.each([
  { given: 200, used: 200 },
  { given: 999, used: 999 },
  { given: 1000, used: 900 },
  { given: 5000, used: 900 },
])(
  'a handshake with a time-out of $given ms is given $used ms, before the kernel repeats the SYN',
  ({ given, used }) => {
    expect(handshakeTimeoutMillis(given)).toBe(used);
  },
);
