/** The damping models against what vendors publish, and the budget that follows from them. */
import { describe, expect, test } from 'vitest';
import {
  addChange,
  type DampingModel,
  dampingModels,
  fallMillis,
  type Penalty,
  pointsAt,
  type RouteChange,
} from '../../src/core/decide/damping.ts';
import { changesLeft, fitsFrom } from '../../src/core/decide/flap-budget.ts';
import { instant, millis } from '../../src/types/units.ts';

const { cisco, juniper, rfc7196 } = dampingModels;
const minutes = (count: number) => count * 60_000;

/** `27:00`, as routers print it. */
function clock(lengthMillis: number): string {
  const seconds = Math.round(lengthMillis / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function after(
  model: DampingModel,
  changes: readonly (readonly [RouteChange, number])[],
): Penalty | undefined {
  return changes.reduce<Penalty | undefined>(
    (penalty, [change, at]) => addChange(model, penalty, change, instant(at)),
    undefined,
  );
}

describe('published figures', () => {
  test('Cisco: one flap shows a penalty of 910 after 2:03 (BGP Case Studies, show ip bgp)', () => {
    const penalty = after(cisco, [['withdrawal', 0]]);
    expect(Math.round(pointsAt(cisco, penalty, instant(123_000)))).toBe(910);
  });

  test('Cisco: a penalty of 2615 is reused in 27:00 (BGP Case Studies; reuse is looked at every 10 s)', () => {
    const exact = fallMillis(cisco, 2615, cisco.reuse);
    expect(clock(exact)).toBe('27:02');
    expect(clock(Math.round(exact / 10_000) * 10_000)).toBe('27:00');
  });

  test('Cisco: with 5 1900 2000 10 a penalty of 2278 is reused in 1:20', () => {
    const exact = fallMillis({ ...cisco, halfLifeMillis: millis(minutes(5)) }, 2278, 1900);
    expect(clock(Math.round(exact / 10_000) * 10_000)).toBe('1:20');
  });

  test.each([
    ['cisco', cisco],
    ['juniper', juniper],
    ['rfc7196', rfc7196],
  ] as const)('%s: the penalty halves in 15:00, to the second', (_name, model) => {
    const penalty = after(model, [['withdrawal', 0]]);
    expect(pointsAt(model, penalty, instant(minutes(15)))).toBe(500);
    expect(clock(fallMillis(model, 1000, 500))).toBe('15:00');
  });

  test('the ceiling is reuse × 2^(max-suppress / half-life), so that nothing is suppressed for longer than 60:00', () => {
    expect(cisco.ceiling).toBe(750 * 2 ** (60 / 15));
    expect(clock(fallMillis(cisco, cisco.ceiling, cisco.reuse))).toBe('60:00');
    expect(clock(fallMillis(juniper, juniper.ceiling, juniper.reuse))).toBe('60:00');
    const storm = after(
      cisco,
      Array.from({ length: 100 }, () => ['withdrawal', 0] as const),
    );
    expect(storm?.points).toBe(12_000);
  });

  test('from suppression to reuse: Cisco 21:14, Juniper two half-lives, RFC 7196 three', () => {
    expect(clock(fallMillis(cisco, cisco.suppress, cisco.reuse))).toBe('21:14');
    expect(clock(fallMillis(juniper, juniper.suppress, juniper.reuse))).toBe('30:00');
    expect(clock(fallMillis(rfc7196, rfc7196.suppress, rfc7196.reuse))).toBe('45:00');
  });

  test('Cisco suppresses at the third flap in a row, Juniper at the second', () => {
    const flaps = (model: DampingModel, count: number) =>
      after(
        model,
        Array.from({ length: count }, (_one, index) => [
          ['withdrawal', index * 20_000] as const,
          ['reannouncement', index * 20_000 + 10_000] as const,
        ]).flat(),
      )?.points ?? 0;
    expect(flaps(cisco, 2)).toBeLessThan(cisco.suppress);
    expect(flaps(cisco, 3)).toBeGreaterThan(cisco.suppress);
    expect(flaps(juniper, 1)).toBeLessThan(juniper.suppress);
    expect(flaps(juniper, 2)).toBeGreaterThan(juniper.suppress);
  });

  test.each([
    ['cisco', cisco, 15.1],
    ['juniper', juniper, 23.9],
  ] as const)(
    '%s: a flap every %s %d minutes is never suppressed, a quicker one in the end',
    (_name, model, every) => {
      const worst = (period: number) =>
        after(
          model,
          Array.from({ length: 40 }, (_one, index) => [
            ['withdrawal', index * minutes(period)] as const,
            ['reannouncement', index * minutes(period)] as const,
          ]).flat(),
        )?.points ?? 0;
      expect(worst(every)).toBeLessThan(model.suppress);
      expect(worst(every - 0.4)).toBeGreaterThan(model.suppress);
    },
  );
});

describe('the flap budget', () => {
  test('leaves room for the withdrawal that may follow', () => {
    const penalty = after(cisco, [['withdrawal', 0]]);
    expect(fitsFrom(cisco, penalty, ['reannouncement'], instant(1))).toBeNull();
    expect(fitsFrom(cisco, penalty, ['reannouncement', 'attributes'], instant(1))).not.toBeNull();
  });

  test('says to the millisecond when a change fits, and then it does', () => {
    const penalty = after(cisco, [
      ['withdrawal', 0],
      ['withdrawal', 60_000],
    ]);
    const until = fitsFrom(cisco, penalty, ['reannouncement'], instant(60_000));
    expect(until).not.toBeNull();
    if (until === null) return;
    expect(clock(until - 60_000)).toBe(clock(fallMillis(cisco, penalty?.points ?? 0, 1000)));
    expect(fitsFrom(cisco, penalty, ['reannouncement'], instant(until - 2))).not.toBeNull();
    expect(fitsFrom(cisco, penalty, ['reannouncement'], until)).toBeNull();
  });

  test.each([
    ['cisco', cisco, 1, 0],
    ['juniper', juniper, 1, 0],
    ['rfc7196', rfc7196, 2, 2],
  ] as const)('%s: %s changes are left at rest', (_name, model, atRest, afterOne) => {
    expect(changesLeft(model, undefined, instant(0))).toBe(atRest);
    expect(changesLeft(model, after(model, [['withdrawal', 0]]), instant(0))).toBe(afterOne);
  });

  test('time that runs back takes no penalty away and adds none', () => {
    const penalty = after(cisco, [['withdrawal', 1000]]);
    expect(pointsAt(cisco, penalty, instant(0))).toBe(1000);
    expect(addChange(cisco, penalty, 'attributes', instant(0))).toEqual({ points: 1500, at: 1000 });
  });
});
