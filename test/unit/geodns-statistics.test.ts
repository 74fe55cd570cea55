/** Statistics: sums of a day, shares, CSV, what is kept on disk, and who lost half of its share. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState } from '../../geodns/decision/state.ts';
import { StatisticsBook } from '../../geodns/statistics/book.ts';
import { carrierOf } from '../../geodns/statistics/carrier-of.ts';
import { addTraffic, dayText, emptyDay, mostRows, readDay, type Day } from '../../geodns/statistics/day.ts';
import { csvOf, sharesOf } from '../../geodns/statistics/shares.ts';
import { halvedShares, halvedText } from '../../geodns/statistics/usual.ts';
import type { EdgeRow, EdgeSummary } from '../../src/types/wire/edge-to-geodns.ts';
import { labNetworks, labRules, stateWith, told } from '../support/geodns.ts';

const row = (network: string, asn: number | null, requests: number): EdgeRow => ({
  network,
  asn,
  requests,
  bytes: requests * 1000,
  seconds: requests / 10,
  cacheHits: 0,
  originErrors: 0,
  limited: 0,
});
const at = Date.parse('2026-11-30T12:30:00Z');
const summary = (seconds: number, rows: readonly EdgeRow[], node = 'hk1'): EdgeSummary => ({
  schema: 1,
  node,
  at: seconds,
  seconds: 60,
  rows: [...rows],
});
const none = (): null => null;

function dayWith(day: string, rows: Readonly<Record<string, number>>, hour = 12): Day {
  const made = emptyDay(day);
  for (const [network, requests] of Object.entries(rows))
    addTraffic(made, { network, asn: null, carrier: null, node: 'hk1' }, row(network, null, requests), hour);
  return made;
}

describe('a day', () => {
  test('comes back from its text as it was, and anything else does not', () => {
    const day = dayWith('2026-11-30', { ct: 10, cm: 30 });
    expect(readDay(dayText(day))).toEqual(day);
    for (const text of ['', '{}', dayText(day).slice(0, 40), '{"schema":2,"day":"2026-11-30"}'])
      expect(readDay(text)).toBeUndefined();
  });

  test('never has more rows than its bound, and loses no request', () => {
    const day = emptyDay('2026-11-30');
    for (let asn = 1; asn <= mostRows + 50; asn += 1)
      addTraffic(day, { network: 'ct', asn, carrier: null, node: 'hk1' }, row('ct', asn, 1), 0);
    expect(day.traffic.size).toBe(mostRows + 1);
    expect([...day.traffic.values()].reduce((sum, one) => sum + one.sums.requests, 0)).toBe(mostRows + 50);
  });

  test('says shares of requests and bytes, as a table and as CSV', () => {
    const shares = sharesOf(dayWith('2026-11-30', { ct: 10, cm: 30 }));
    expect(shares).toMatchObject([
      { network: 'cm', requestShare: 0.75, byteShare: 0.75, meanMillis: 100 },
      { network: 'ct', requestShare: 0.25 },
    ]);
    expect(csvOf('2026-11-30', shares).split('\r\n').slice(0, 2)).toEqual([
      'day,network,asn,carrier,requests,request_share,bytes,byte_share,mean_ms,cache_hits,origin_errors,limited,beacons,rtt_p50_ms,rtt_p95_ms,failure_share',
      '2026-11-30,cm,,,30,0.750000,30000,0.750000,100.0,0,0,0,0,,,',
    ]);
  });
});

describe('a share that halves', () => {
  const usual = [29, 28, 27, 26].map((day) => dayWith(`2026-11-${day}`, { ct: 4000, cm: 6000 }));

  test('is told, in words, once there is enough traffic to say so', () => {
    const [halved, ...others] = halvedShares(dayWith('2026-11-30', { ct: 1500, cm: 8500 }), usual, 12);
    expect(others).toEqual([]);
    expect(halved).toMatchObject({ kind: 'network', name: 'ct' });
    if (halved !== undefined)
      expect(halvedText(halved)).toBe(
        'network ct has 15.0 % of the requests since 12:00 UTC; usual is 40.0 %',
      );
  });

  test.each([
    { name: 'it fell by a third alone', today: { ct: 2700, cm: 7300 }, before: usual },
    { name: 'there is little traffic yet', today: { ct: 10, cm: 900 }, before: usual },
    { name: 'there are two days to compare with', today: { ct: 100, cm: 9000 }, before: usual.slice(0, 2) },
    { name: 'the others have not begun', today: {}, before: usual },
  ])('is not told when $name', ({ today, before }) => {
    expect(halvedShares(dayWith('2026-11-30', today), before, 12)).toEqual([]);
  });

  test('is compared with the same hour, not with a day', () => {
    const night = usual.map((day) => {
      addTraffic(day, { network: 'ct', asn: null, carrier: null, node: 'hk1' }, row('ct', null, 9000), 20);
      return day;
    });
    expect(halvedShares(dayWith('2026-11-30', { ct: 4000, cm: 6000 }), night, 12)).toEqual([]);
  });

  test('of an ASN or a carrier that is gone altogether is told too', () => {
    const key = { network: 'ct', asn: 4134, carrier: 'pccw', node: 'hk1' };
    const before = [29, 28, 27].map((number) => {
      const day = dayWith(`2026-11-${number}`, { cm: 5000 });
      addTraffic(day, key, row('ct', 4134, 5000), 12);
      return day;
    });
    const found = halvedShares(dayWith('2026-11-30', { cm: 10_000 }), before, 12);
    expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'asn 4134',
      'carrier pccw',
      'network ct',
    ]);
  });
});

describe('the carrier of an access network on a node', () => {
  const of = (state = emptyState): string | null =>
    carrierOf(viewOf(labRules, state, 1e12), labNetworks, 'hk1', 'cm');
  test('is the first of its order that the node has up', () => {
    expect(of()).toBe('cmi');
    expect(of(stateWith({ 'hk1/cmi': told('down') }))).not.toBe('cmi');
    expect(carrierOf(viewOf(labRules, emptyState, 1e12), labNetworks, 'hk1', 'unknown')).toBeNull();
  });
});

describe('the book', () => {
  let folder = '';
  const warnings: string[] = [];
  const log = { warn: (_data: object, message: string): void => void warnings.push(message) };
  const open = (millis = at, keepDays = 90): Promise<StatisticsBook> =>
    StatisticsBook.open(folder, keepDays, log, millis);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-statistics-'));
    warnings.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('counts each message of a node once, and none of another time', async () => {
    const book = await open();
    const now = at / 1000;
    expect(book.enter(summary(now, [row('cm', 9808, 10)]), none, at)).toBe('counted');
    expect(book.enter(summary(now, [row('cm', 9808, 10)]), none, at)).toBe('known');
    expect(book.enter(summary(now - 1, [row('cm', 9808, 10)]), none, at)).toBe('known');
    expect(book.enter(summary(now, [row('cm', 9808, 10)], 'hk2'), none, at)).toBe('counted');
    expect(book.enter(summary(now + 3600, [row('cm', 9808, 10)]), none, at)).toBe('away');
    const day = await book.day('2026-11-30', at);
    expect(sharesOf(day ?? emptyDay(''))[0]?.requests).toBe(20);
    expect(book.trafficByAsn()).toEqual(new Map([[9808, 20]]));
  });

  test('has after a restart what it had before', async () => {
    const book = await open();
    book.enter(summary(at / 1000, [row('cm', 9808, 10)]), () => 'cmi', at);
    book.measured(
      {
        segment: { asn: 9808, network: 'cm', country: 'CN', subdivision: null, continent: 'AS' },
        carrier: 'cmi',
        rttMillis: 40,
      },
      at,
    );
    await book.stop(at);
    const again = await (await open()).day('2026-11-30', at);
    expect(sharesOf(again ?? emptyDay(''))).toMatchObject([
      { network: 'cm', asn: 9808, carrier: 'cmi', requests: 10, beacons: 1, failureShare: 0 },
    ]);
    expect(readFileSync(join(folder, '2026-11-30.json'), 'utf8')).toContain('"cmi"');
  });

  test('begins a new day at midnight of UTC, keeps the last, and removes what is too old', async () => {
    writeFileSync(join(folder, '2026-11-01.json'), dayText(emptyDay('2026-11-01')));
    const book = await open(at, 8);
    book.enter(summary(at / 1000, [row('cm', 9808, 10)]), none, at);
    const next = at + 86_400_000;
    book.enter(summary(next / 1000, [row('cm', 9808, 7)]), none, next);
    await book.write(next);
    expect(sharesOf((await book.day('2026-11-30', next)) ?? emptyDay(''))[0]?.requests).toBe(10);
    expect(sharesOf((await book.day('2026-12-01', next)) ?? emptyDay(''))[0]?.requests).toBe(7);
    await expect
      .poll(() => readdirSync(folder).sort(), { timeout: 30_000 })
      .toEqual(['2026-11-30.json', '2026-12-01.json']);
  });

  test('leaves a file that it cannot use where it is, and says so', async () => {
    writeFileSync(join(folder, '2026-11-29.json'), '{"schema":1,');
    const book = await open();
    expect(warnings).toEqual(['statistics of a day cannot be used']);
    expect(await book.day('2026-11-29', at)).toBeUndefined();
    expect(await book.days()).toEqual(['2026-11-29']);
  });
});
