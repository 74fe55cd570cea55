/** Schedules, scripts, shrinking, and what is read of tables and of dig: the parts of chaos that need no lab. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readDig } from '../../lab/chaos/dig.ts';
import { faultText, placesOf } from '../../lab/chaos/fault.ts';
import { both, lengthWithin, minus, union, widened } from '../../lab/chaos/intervals.ts';
import { plants } from '../../lab/chaos/plants.ts';
import { invariantNames } from '../../lab/chaos/breach.ts';
import { recordsOf } from '../../lab/chaos/records.ts';
import { scheduleOf } from '../../lab/chaos/schedule.ts';
import { readScript, scriptText, type Script } from '../../lab/chaos/script.ts';
import { shrink, upTo } from '../../lab/chaos/shrink.ts';
import { readTables } from '../../lab/chaos/watch.ts';
import { fleetNodeNames } from '../../lab/network/names.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-chaos-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (seed: number, minutes = 60) => ({
  seed,
  nodes: fleetNodeNames,
  edges: fleetNodeNames.slice(0, 2),
  clocks: fleetNodeNames.slice(-1),
  durationMillis: minutes * 60_000,
});

describe('a schedule', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(scheduleOf(options(7))).toEqual(scheduleOf(options(7)));
    expect(scheduleOf(options(7))).not.toEqual(scheduleOf(options(8)));
  });

  test('has every kind of fault within an hour', () => {
    const kinds = new Set(scheduleOf(options(1)).map(({ fault }) => fault.kind));
    expect(kinds.size).toBe(23);
  });

  test('never has two faults at one place, nor more at once than it may, and ends all in time', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const planned = scheduleOf(options(seed, 20));
      for (const [index, one] of planned.entries()) {
        const end = one.startMillis + one.lastsMillis;
        expect(end).toBeLessThanOrEqual(20 * 60_000);
        const meanwhile = planned
          .slice(0, index)
          .filter((other) => other.startMillis + other.lastsMillis > one.startMillis);
        expect(meanwhile.length).toBeLessThan(4);
        const taken = meanwhile.flatMap((other) => placesOf(other.fault));
        expect(placesOf(one.fault).filter((place) => taken.includes(place))).toEqual([]);
      }
    }
  });

  test('moves no clock where none can be moved', () => {
    const planned = scheduleOf({ ...options(1), clocks: [] });
    expect(planned.some(({ fault }) => fault.kind === 'clock')).toBe(false);
  });
});

describe('a script', () => {
  const script: Script = { seed: 5, nodes: 5, durationMillis: 3_600_000, faults: scheduleOf(options(5)) };

  test('is read as it was written, with every kind of fault', () => {
    const file = join(folder, 'script.json');
    writeFileSync(file, scriptText(script));
    expect(readScript(file)).toEqual(script);
    for (const { fault } of script.faults) expect(faultText(fault)).not.toBe('');
  });

  test.each([
    ['{', /JSON/],
    ['{"seed":1}', /script\.json: nodes/],
    [scriptText({ ...script, faults: [] }).replace('"nodes": 5', '"nodes": 9'), /nodes/],
    [
      '{"seed":1,"nodes":5,"durationMillis":1,"faults":[{"startMillis":0,"lastsMillis":1,"fault":{"kind":"earthquake"}}]}',
      /faults\.0\.fault/,
    ],
  ])('that is none is refused with its place: %j', (text, said) => {
    const file = join(folder, 'script.json');
    writeFileSync(file, text);
    expect(() => readScript(file)).toThrow(said);
  });
});

describe('shrinking', () => {
  const planned = scheduleOf(options(3, 20));
  const script: Script = { seed: 3, nodes: 5, durationMillis: 1_200_000, faults: planned };
  const [one, other] = [planned[4], planned[planned.length - 3]];
  const needs = (candidate: Script, ...wanted: readonly unknown[]): boolean =>
    wanted.every((want) =>
      candidate.faults.some(({ fault }) => JSON.stringify(fault) === JSON.stringify(want)),
    );

  test('leaves the faults without which it does not fail', async () => {
    const { script: short } = await shrink(
      script,
      async (candidate) => needs(candidate, one?.fault, other?.fault),
      500,
    );
    const kinds = short.faults.map(({ fault }) => JSON.stringify(fault));
    expect(new Set(kinds)).toEqual(new Set([JSON.stringify(one?.fault), JSON.stringify(other?.fault)]));
    expect(short.faults[0]?.startMillis).toBe(2000);
  });

  test('stops at the runs that it may use, with a script that was seen to fail', async () => {
    let runs = 0;
    const { script: short } = await shrink(
      script,
      async (candidate) => {
        runs += 1;
        return needs(candidate, one?.fault);
      },
      3,
    );
    expect(runs).toBeLessThanOrEqual(3);
    expect(needs(short, one?.fault)).toBe(true);
  });

  test('what began after it broke is left out', () => {
    const at = planned[5]?.startMillis ?? 0;
    expect(upTo(script, at).faults).toHaveLength(6);
  });
});

test('spans: union, difference, common part, length', () => {
  const spans = [
    { from: 0, to: 10 },
    { from: 5, to: 20 },
    { from: 30, to: 40 },
  ];
  expect(union(spans)).toEqual([
    { from: 0, to: 20 },
    { from: 30, to: 40 },
  ]);
  expect(minus(spans, [{ from: 8, to: 35 }])).toEqual([
    { from: 0, to: 8 },
    { from: 35, to: 40 },
  ]);
  expect(both(spans, [{ from: 15, to: 33 }])).toEqual([
    { from: 15, to: 20 },
    { from: 30, to: 33 },
  ]);
  expect(widened([{ from: 10, to: 11 }], 1, 2)).toEqual([{ from: 9, to: 13 }]);
  expect(lengthWithin(spans, 18, 32)).toBe(4);
});

test('a carrier’s tables are read by session, with prefixes that stand on the line before', () => {
  const held = readTables([
    'Table master4:',
    '0.0.0.0/0            blackhole [default4 2026-11-30 13:00:00.000] * (200)',
    '203.0.113.0/24       unicast [hk1_4 2026-11-30 13:00:00.000] * (100) [AS65001i]',
    '\tvia 198.18.1.6 on hk1',
    '                     unicast [hk2_4 2026-11-30 13:00:00.000] (100) [AS65001i]',
    'Table master6:',
    '2001:db8:a::/48      unicast [hk1_6 2026-11-30 13:00:00.000] * (100) [AS65001i]',
  ]);
  expect(Object.fromEntries(held)).toEqual({
    'hk1 4': ['203.0.113.0/24'],
    'hk2 4': ['203.0.113.0/24'],
    'hk1 6': ['2001:db8:a::/48'],
  });
});

test('of dig: addresses, empty answers and silence, in the order of the questions', () => {
  const text = `;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: 1
www.geo.test.		30	IN	A	203.0.113.11
www.geo.test.		30	IN	A	203.0.113.12

;; communications error to 10.77.22.2#53: timed out
;; communications error to 10.77.22.2#53: timed out
;; no servers could be reached

;; ->>HEADER<<- opcode: QUERY, status: NXDOMAIN, id: 2
;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: 3
www.geo.test.		30	IN	AAAA	2001:db8:a::1:1
`;
  expect(readDig(text, 5)).toEqual([
    ['203.0.113.11', '203.0.113.12'],
    'silent',
    [],
    ['2001:db8:a::1:1'],
    'silent',
  ]);
});

test('records of a history become facts by monotonic time', () => {
  const stamp = {
    id: 1,
    at: '2030-01-01T00:00:00Z',
    monotonicMillis: 5000,
    bootId: 'b',
    author: 'causeway',
    reason: 'loss',
    text: 'x',
  };
  const command = {
    kind: 'command',
    ...stamp,
    command: 'disable',
    protocol: 'announce_cmi_web4',
    effect: 'done',
  } as const;
  expect(recordsOf('hk1', [command], 1000)).toEqual([
    { kind: 'record', at: 6000, node: 'hk1', about: { kind: 'acted', carrier: 'cmi', family: 4, text: 'x' } },
  ]);
});

test('every invariant has a bug that is planted for it', () => {
  const broken = new Set(plants.map(({ breaks }) => breaks));
  expect(invariantNames.filter((name) => !broken.has(name))).toEqual([]);
});
