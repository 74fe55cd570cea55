/** Outcomes and round trips second by second, for charts. */
import { expect, test } from 'vitest';
import {
  createSeries,
  noteSeries,
  type Series,
  seriesAt,
  seriesFrom as partsFrom,
} from '../../src/daemon/series.ts';
import type { SeriesParts } from '../../src/http/series.ts';
import type { Outcome, ProbeTask, Sample } from '../../src/types/outcome.ts';
import { type Instant, instant, millis } from '../../src/types/units.ts';
import { type SeriesAnswer, seriesAnswer } from '../../src/types/wire/series.ts';

const wallMillis = Date.parse('2026-11-30T03:00:00Z');

function task(id: number, more: Partial<ProbeTask> = {}): ProbeTask {
  return {
    id,
    uplink: 'cmi',
    interface: 'eth1',
    source: '192.0.2.2',
    family: 4,
    address: '198.51.100.10',
    target: 'jkt-1',
    region: 'ID',
    class: 'target',
    kind: 'icmp',
    port: 0,
    intervalMillis: millis(200),
    timeoutMillis: millis(1000),
    ...more,
  };
}

const answered = (rttMillis: number): Outcome => ({ kind: 'answered', rttMillis: millis(rttMillis) });
const lost: Outcome = { kind: 'lost' };
const sample = (seconds: number, outcome: Outcome, id = 1): Sample => ({
  task: id,
  sentAt: instant(seconds * 1000),
  outcome,
});

const whole = ({ head, tracks }: SeriesParts): SeriesAnswer => ({
  ...head,
  series: tracks.map((make) => make()),
});
const seriesFrom = (series: Series, from: number | null, now: Instant, wall: number): SeriesAnswer =>
  whole(partsFrom(series, from, now, wall));

test('each second has its outcomes and round trips, by the time of sending', () => {
  const series = createSeries([task(1)]);
  noteSeries(series, [
    sample(100.1, answered(40)),
    sample(100.3, answered(50)),
    sample(100.5, answered(90)),
    sample(101.2, lost),
    sample(101.4, { kind: 'not-run', why: 'send-failed' }),
  ]);
  const answer = seriesFrom(series, 100, instant(102_500), wallMillis);
  expect(seriesAnswer.parse(answer)).toEqual({
    schema: 1,
    stepSeconds: 1,
    first: 100,
    firstAt: '2026-11-30T02:59:57.500Z',
    next: 100,
    series: [
      {
        uplink: 'cmi',
        family: 4,
        answered: [3, 0, 0],
        lost: [0, 1, 0],
        rttP50Millis: [50, null, null],
        rttP95Millis: [90, null, null],
      },
    ],
  });
});

test('a loss that is known late still stands in the second of its sending, and is asked for again', () => {
  const series = createSeries([task(1)]);
  noteSeries(series, [sample(100.9, answered(40)), sample(102, answered(40))]);
  const before = seriesFrom(series, null, instant(102_100), wallMillis);
  noteSeries(series, [sample(100.8, lost)]);
  const after = seriesFrom(series, before.next, instant(102_300), wallMillis);
  expect(after.first).toBeLessThanOrEqual(100);
  expect(after.series[0]?.lost[100 - after.first]).toBe(1);
});

test('gateways and full-size probes are left out, and times of HTTP and DNS are not the path’s', () => {
  const series = createSeries([
    task(1, { class: 'gateway' }),
    task(2, { kind: 'mtu' }),
    task(3, { kind: 'http', port: 80 }),
  ]);
  noteSeries(
    series,
    [1, 2, 3].map((id) => sample(100, answered(500), id)),
  );
  const [track] = seriesFrom(series, 100, instant(100_500), wallMillis).series;
  expect(track).toMatchObject({ answered: [1], rttP95Millis: [null] });
});

test('an hour is kept and no more, whatever comes, and gaps are empty', () => {
  const series = createSeries([task(1)]);
  for (let second = 1000; second < 9000; second += 1) {
    if (second < 6000 || second >= 6100) noteSeries(series, [sample(second + 0.5, answered(second / 100))]);
  }
  const answer = seriesFrom(series, null, instant(8_999_900), wallMillis);
  const [track] = answer.series;
  expect({ first: answer.first, points: track?.answered.length }).toEqual({ first: 5400, points: 3600 });
  expect(track?.answered.filter((count) => count === 0).length).toBe(100);
  expect(track?.rttP50Millis[0]).toBeCloseTo(54, 1);
  expect([...series.tracks.values()][0]?.roundTrips.size).toBeLessThan(10);
});

test('what is older than an hour, or from another boot, is answered with all that is kept', () => {
  const series = createSeries([task(1)]);
  noteSeries(series, [sample(5000, answered(40))]);
  for (const from of [10, 9_999_999, null])
    expect(seriesFrom(series, from, instant(5_000_500), wallMillis).first).toBe(1401);
  const back = whole(seriesAt(series, { kind: 'back', seconds: 60 }, instant(5_000_500), wallMillis));
  expect(back.first).toBe(4940);
});

test('many uplinks take greater steps: all outcomes, the worst round trip, and a bounded answer', () => {
  const tasks = Array.from({ length: 200 }, (_, n) => task(n, { uplink: `u${n}` }));
  const series = createSeries(tasks);
  for (let second = 4000; second < 7600; second += 1)
    noteSeries(series, [
      sample(second, second === 5005 ? answered(900) : answered(40)),
      sample(second, lost),
    ]);
  const answer = seriesFrom(series, null, instant(7_599_000), wallMillis);
  const points = answer.series.reduce((sum, { answered: counts }) => sum + counts.length, 0);
  const track = answer.series[1];
  expect(points).toBeLessThanOrEqual(24_000);
  expect(answer.stepSeconds).toBe(60);
  expect(track?.answered.reduce((sum, count) => sum + count, 0)).toBe(3600);
  expect(track?.lost.reduce((sum, count) => sum + count, 0)).toBe(3600);
  expect(track?.rttP95Millis.filter((value) => value === 900).length).toBe(1);
});

test('another config keeps what was measured of the uplinks that stay', () => {
  const before = createSeries([task(1)]);
  noteSeries(before, [sample(100, answered(40))]);
  const after = createSeries([task(7), task(8, { uplink: 'pccw' })], before);
  noteSeries(after, [sample(101, answered(41), 7)]);
  const answer = seriesFrom(after, 100, instant(101_000), wallMillis);
  expect(answer.series.map(({ uplink, answered: counts }) => [uplink, counts])).toEqual([
    ['cmi', [1, 1]],
    ['pccw', [0, 0]],
  ]);
});
