/** What the page makes of a status, a series and its words: the parts of it that need no browser. */
import { describe, expect, test } from 'vitest';
import { agreement, regionFigures } from '../../src/http/page/browser/figures.ts';
import { clock, duration, milliseconds, percent } from '../../src/http/page/browser/format.ts';
import { historyKinds } from '../../src/http/page/browser/history-kinds.ts';
import { newSeriesStore, recentLoss, takeSeries } from '../../src/http/page/browser/series-store.ts';
import { type Trouble, troublesOf } from '../../src/http/page/browser/troubles.ts';
import { english } from '../../src/http/page/browser/words.en.ts';
import { chinese } from '../../src/http/page/browser/words.zh.ts';
import { notRunReasons } from '../../src/types/outcome.ts';
import {
  announceState,
  egressState,
  exportedState,
  guard,
  healthReason,
  healthState,
  seenState,
  wishReason,
} from '../../src/types/wire/enums.ts';
import { fleetState } from '../../src/types/wire/fleet-status.ts';
import { historyEntry } from '../../src/types/wire/history.ts';
import type { SeriesAnswer } from '../../src/types/wire/series.ts';
import type { StatusDocument, UplinkStatus } from '../../src/types/wire/status.ts';
import { familyStatus, statusOf } from './host-node.ts';

function uplink(families: UplinkStatus['families'], more: Partial<UplinkStatus> = {}): UplinkStatus {
  return { uplink: 'cmi', carrier: 'cmi', interface: 'eth1', link: 'up', families, ...more };
}

const kindsOf = (status: StatusDocument): readonly string[] =>
  troublesOf(status).map(({ level, kind }) => `${level} ${kind}`);

describe('what is wrong', () => {
  test('of a healthy node is nothing', () => {
    expect(troublesOf(statusOf())).toEqual([]);
  });

  test('comes worst first, and what people wanted comes last', () => {
    const failed = familyStatus({ health: 'failed', reason: 'loss', text: 'loss 34 % on 6 of 10 targets' });
    const status = statusOf({
      tickAgeMillis: 7000,
      bird: { kind: 'unreachable', path: '/run/bird/bird.ctl', code: 'ENOENT', text: 'no such file' },
      alarms: [{ code: 'file-behind', text: 'disk full', since: '2026-11-30T01:00:00Z' }],
      uplinks: [uplink({ '4': failed, '6': familyStatus({ health: 'degraded', reason: 'latency' }) })],
      freeze: { author: 'kim', reason: 'NOC-17', at: '2026-11-30T01:00:00Z' },
      overrides: [
        {
          subject: { kind: 'selection', uplink: 'pccw', service: null, family: null },
          state: 'drain',
          author: 'kim',
          reason: 'fibre',
          at: '2026-11-30T01:00:00Z',
          expires: null,
        },
      ],
    });
    expect(kindsOf(status)).toEqual([
      'act tick-stuck',
      'act bird',
      'act alarm',
      'act uplink',
      'watch uplink',
      'watch frozen',
      'note override',
    ]);
  });

  test('is told once where both families have it, and twice where they differ', () => {
    const failed = familyStatus({ health: 'failed', reason: 'loss', text: 'loss 34 %' });
    const alike = uplink({ '4': failed, '6': { ...failed, text: 'loss 36 %' } });
    const uplinks = troublesOf(statusOf({ uplinks: [alike] })).filter(({ kind }) => kind === 'uplink');
    expect(uplinks).toMatchObject([{ families: [4, 6], text: 'loss 34 %' }]);
    const apart = uplink({ '4': failed, '6': familyStatus({ health: 'failed', reason: 'latency' }) });
    expect(kindsOf(statusOf({ uplinks: [apart] }))).toEqual(['act uplink', 'act uplink']);
  });

  test('is less for an uplink that has left while others carry its services', () => {
    const left = familyStatus().announcements.map((one) => ({
      ...one,
      wish: 'withdraw' as const,
      seen: 'absent' as const,
    }));
    const failed = familyStatus({ health: 'failed', reason: 'loss', announcements: left });
    const alone = statusOf({ uplinks: [uplink({ '4': failed })] });
    expect(troublesOf(alone)).toMatchObject([{ level: 'act', carriedBy: [] }]);
    const other = uplink({ '4': familyStatus() }, { uplink: 'pccw' });
    const carried = statusOf({ uplinks: [uplink({ '4': failed }), other] });
    expect(troublesOf(carried)).toMatchObject([{ level: 'watch', carriedBy: ['pccw'] }]);
    // Failed and still announced: a guard holds it, and somebody should know.
    const staying = uplink({ '4': { ...failed, announcements: familyStatus().announcements } });
    expect(troublesOf(statusOf({ uplinks: [staying, other] }))).toMatchObject([{ level: 'act' }]);
  });

  test('is a node of the fleet that is not heard, but for this one', () => {
    const node = (name: string, self: boolean, state: 'heard' | 'unknown') => ({
      node: name,
      site: 'hkg',
      self,
      state,
      why: state === 'unknown' ? 'silent for 11 s' : null,
      silentMillis: 0,
      mode: null,
      frozen: false,
      announcements: [],
    });
    const nodes = [node('hk1', true, 'unknown'), node('hk2', false, 'unknown'), node('hk3', false, 'heard')];
    const link = { redis: 'here', link: 'reading' as const, text: '', consentInSeconds: 0 };
    const troubles = troublesOf(statusOf({ fleet: { ...link, nodes, groups: [], findings: [] } }));
    expect(troubles).toEqual([{ level: 'watch', kind: 'finding', text: 'hk2: silent for 11 s' }]);
  });

  test.each<{
    name: string;
    more: Partial<UplinkStatus>;
    family: Parameters<typeof familyStatus>[0];
    kind: Trouble['kind'];
  }>([
    { name: 'a link that is down', more: { link: 'down' }, family: {}, kind: 'uplink' },
    { name: 'a session that is down', more: {}, family: { session: { state: 'Active' } }, kind: 'session' },
    {
      name: 'a region of an uplink that is otherwise fine',
      more: {},
      family: { regions: { ID: { health: 'failed', reason: 'loss' } } },
      kind: 'region',
    },
    {
      name: 'BIRD that shows something else than is wished',
      more: {},
      family: {
        announcements: familyStatus().announcements.map((one) => ({ ...one, seen: 'absent' as const })),
      },
      kind: 'differs',
    },
    {
      name: 'a wish that a guard holds',
      more: {},
      family: {
        announcements: familyStatus().announcements.map((one) => ({
          ...one,
          held: { guard: 'last-resort' as const, text: 'the last one stays', remainingSeconds: null },
        })),
      },
      kind: 'held',
    },
  ])('is $name', ({ more, family, kind }) => {
    const troubles = troublesOf(statusOf({ uplinks: [uplink({ '4': familyStatus(family) }, more)] }));
    expect(troubles.map((one) => one.kind)).toEqual([kind]);
  });
});

test('BIRD that is not read, or a session that is down, neither agrees nor differs', () => {
  const [announcement] = familyStatus().announcements;
  if (announcement === undefined) throw new Error('no announcement');
  expect(agreement(announcement)).toBe('as-wished');
  expect(agreement({ ...announcement, wish: 'drain' })).toBe('differs');
  for (const seen of ['unknown', 'session-down'] as const)
    expect(agreement({ ...announcement, seen })).toBe('not-seen');
});

test('a region has the mean loss of its targets and the slowest round trip', () => {
  const [target] = familyStatus().targets;
  if (target === undefined) throw new Error('no target');
  const targets = [
    { ...target, loss: 0.1, rttP95Millis: 40 },
    { ...target, loss: 0.3, rttP95Millis: 90 },
    { ...target, region: 'PH', loss: 1, rttP95Millis: 500 },
    { ...target, loss: null, rttP95Millis: null },
  ];
  const { loss, rttP95Millis } = regionFigures(familyStatus({ targets }), 'ID');
  expect([loss, rttP95Millis]).toEqual([expect.closeTo(0.2), 90]);
  expect(regionFigures(familyStatus({ targets: [] }), 'ID')).toEqual({ loss: null, rttP95Millis: null });
});

describe('the series in the browser', () => {
  const answer = (
    first: number,
    lost: readonly number[],
    more: Partial<SeriesAnswer> = {},
  ): SeriesAnswer => ({
    schema: 1,
    stepSeconds: 1,
    first,
    firstAt: new Date(1_000_000 + first * 1000).toISOString(),
    next: first + lost.length - 2,
    series: [
      {
        uplink: 'cmi',
        family: 4,
        answered: lost.map((count) => 10 - count),
        lost,
        rttP50Millis: lost.map(() => 40),
        rttP95Millis: lost.map(() => 50),
      },
    ],
    ...more,
  });

  test('joins answers, and what may still have changed replaces what was there', () => {
    const store = newSeriesStore();
    takeSeries(store, answer(100, [0, 0, 0, 0]));
    takeSeries(store, answer(102, [3, 10, 10]));
    expect(store.seconds).toEqual([100, 101, 102, 103, 104]);
    expect(store.tracks.get('cmi4')?.lost).toEqual([0, 0, 3, 10, 10]);
    expect(recentLoss(store, 'cmi', 4, 2)).toBe(1);
    expect(recentLoss(store, 'cmi', 4, 3)).toBeCloseTo(23 / 30);
    expect(recentLoss(store, 'pccw', 4, 2)).toBeNull();
    // Of the latest seconds nothing is known yet: a black hole is not shown as nothing.
    const [track] = answer(103, [10, 10, 0, 0]).series;
    if (track === undefined) throw new Error('no track');
    takeSeries(store, answer(103, [10, 10, 0, 0], { series: [{ ...track, answered: [0, 0, 0, 0] }] }));
    expect([store.seconds.at(-1), recentLoss(store, 'cmi', 4, 2)]).toEqual([106, 1]);
  });

  test('begins anew after a reboot, and where the uplinks are others', () => {
    const store = newSeriesStore();
    takeSeries(store, answer(5000, [0, 0, 0]));
    takeSeries(store, answer(7000, [1, 1, 1]));
    expect(store.seconds).toEqual([7000, 7001, 7002]);
    const [track] = answer(7001, [2, 2]).series;
    if (track === undefined) throw new Error('no track');
    takeSeries(store, answer(7001, [2, 2], { series: [{ ...track, uplink: 'hkbn' }] }));
    expect([store.seconds, [...store.tracks.keys()]]).toEqual([[7001, 7002], ['hkbn4']]);
  });

  test('keeps an hour', () => {
    const store = newSeriesStore();
    takeSeries(
      store,
      answer(
        0,
        Array.from({ length: 3600 }, () => 0),
      ),
    );
    for (let at = 3598; at < 5000; at += 2) takeSeries(store, answer(at, [0, 0, 0, 0]));
    expect(store.seconds.length).toBeLessThanOrEqual(3601);
    expect(store.tracks.get('cmi4')?.lost.length).toBe(store.seconds.length);
  });
});

describe('words', () => {
  test('Chinese has every word of the contract, and neither language an empty text', () => {
    const contract = [
      ...[
        announceState,
        egressState,
        exportedState,
        fleetState,
        guard,
        healthReason,
        healthState,
        seenState,
        wishReason,
      ].flatMap(({ options }) => options as readonly string[]),
      ...notRunReasons,
      'up',
      'down',
      'missing',
      'ready',
      'not-ready',
      'no-check',
    ];
    const known: Readonly<Record<string, string>> = chinese.contract;
    expect(contract.filter((word) => (known[word] ?? '') === '')).toEqual([]);
    for (const words of [english, chinese])
      expect(Object.entries(words).filter(([, text]) => text === '')).toEqual([]);
  });

  test('every kind of the history has a name in both languages', () => {
    const kinds = historyEntry.options.map(({ shape }) => shape.kind.value);
    expect([...historyKinds].sort()).toEqual([...kinds].sort());
    for (const words of [english, chinese])
      expect(Object.keys(words.kinds).sort()).toEqual([...kinds].sort());
  });
});

test('figures are as people read them', () => {
  expect([percent(null), percent(0), percent(0.004), percent(0.34), percent(1)]).toEqual([
    '–',
    '0 %',
    '0.4 %',
    '34 %',
    '100 %',
  ]);
  expect([milliseconds(null), milliseconds(4.24), milliseconds(88.4)]).toEqual(['–', '4.2 ms', '88 ms']);
  expect([duration(42), duration(600), duration(7200), duration(200_000)]).toEqual([
    '42 s',
    '10 min',
    '2 h',
    '2 d',
  ]);
  const now = new Date(2026, 10, 30, 12, 0, 0);
  expect(clock(new Date(2026, 10, 30, 3, 4, 5).toISOString(), now.getTime())).toBe('03:04:05');
  expect(clock(new Date(2026, 10, 28, 3, 4, 5).toISOString(), now.getTime())).toBe('11-28 03:04:05');
  expect(clock('not a time', now.getTime())).toBe('not a time');
});
