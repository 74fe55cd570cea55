/** Rise and fall of readiness checks, and how the checks of a service make its readiness. */
import { fc, test as propertyTest } from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { combine, notRunTexts } from '../../src/core/ready/combine.ts';
import { count, type ReadyCount, startCount } from '../../src/core/ready/count.ts';
import type { ReadyOutcome } from '../../src/types/ready-outcome.ts';
import { instant } from '../../src/types/units.ts';

const limits = { rise: 2, fall: 3 };
const outcomes: Readonly<Record<string, ReadyOutcome>> = {
  p: { kind: 'pass', text: 'status 200' },
  f: { kind: 'fail', text: 'connection refused' },
  n: { kind: 'not-run', text: 'no permission' },
};

/** One letter an outcome, one second apart from second 1. */
function after(letters: string, from = startCount(instant(0))): ReadyCount {
  return letters.split('').reduce((before, letter, index) => {
    const outcome = outcomes[letter];
    if (outcome === undefined) throw new Error(`no outcome ${letter}`);
    return count(before, outcome, limits, instant((index + 1) * 1000));
  }, from);
}

describe('a check', () => {
  test.each([
    ['nothing', '', 'unknown'],
    ['one pass', 'p', 'unknown'],
    ['rise passes in a row', 'pp', 'ready'],
    ['passes that a failure parts', 'pfp', 'unknown'],
    ['fewer failures than fall', 'ff', 'unknown'],
    ['fall failures in a row', 'fff', 'not-ready'],
    ['one failure of a ready one', 'ppf', 'ready'],
    ['failures that a pass parts', 'ppffpff', 'ready'],
    ['fall failures of a ready one', 'ppfff', 'not-ready'],
    ['one pass of one that is not ready', 'fffp', 'not-ready'],
    ['rise passes of one that is not ready', 'fffpp', 'ready'],
    ['what did not run, however often', 'nnnnnnnn', 'unknown'],
    ['what did not run beside a ready state', 'ppnnnnnnnn', 'ready'],
    ['what did not run within a row of failures', 'ppfnfnf', 'not-ready'],
    ['what did not run within a row of passes', 'fffpnp', 'ready'],
  ] as const)('after %s', (_what, letters, state) => {
    expect(after(letters).state).toBe(state);
  });

  test('has its state since the outcome that completed the row, and the text of it as long as it lasts', () => {
    const fallen = after('ppfff');
    expect(fallen).toMatchObject({ since: 5000, because: 'connection refused', inRow: 0 });
    const later = count(fallen, { kind: 'fail', text: 'no answer in 1000 ms' }, limits, instant(9000));
    expect(later).toMatchObject({ since: 5000, because: 'connection refused', text: 'no answer in 1000 ms' });
  });

  propertyTest.prop([
    fc.array(fc.constantFrom('p', 'f', 'n'), { maxLength: 60 }),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 5 }),
  ])(
    'is ready or not as the last full row of those that ran says, whatever did not run between',
    (letters, rise, fall) => {
      let state = startCount(instant(0));
      for (const letter of letters)
        state = count(state, outcomes[letter] ?? { kind: 'not-run', text: '' }, { rise, fall }, instant(0));
      const ran = letters.filter((letter) => letter !== 'n').join('');
      const expected = { state: 'unknown' };
      for (let end = 1; end <= ran.length; end += 1) {
        if (ran.slice(0, end).endsWith('p'.repeat(rise))) expected.state = 'ready';
        if (ran.slice(0, end).endsWith('f'.repeat(fall))) expected.state = 'not-ready';
      }
      expect(state.state).toBe(expected.state);
    },
  );
});

describe('a service', () => {
  const fact = (...letters: readonly string[]) =>
    combine(
      letters.map((each, index) => ({ name: `check ${index + 1}`, count: after(each) })),
      null,
      instant(60_000),
    );

  test('is ready when all its checks are', () => {
    expect(fact('pp', 'pp')).toMatchObject({ state: 'ready', text: 'all 2 checks pass' });
    expect(fact('pp')).toMatchObject({ state: 'ready', text: 'check 1: status 200' });
  });
  test('is not ready when one is not, even while another is unknown', () => {
    expect(fact('pp', 'fff', '')).toMatchObject({ state: 'not-ready', text: 'check 2: connection refused' });
    expect(fact('fff', 'fff').text).toBe('check 1: connection refused; and 1 more');
  });
  test('is unknown while one is, and none has failed', () => {
    expect(fact('pp', 'p')).toMatchObject({
      state: 'unknown',
      text: 'check 2: not checked often enough yet',
    });
  });
  test('keeps since when it is so as long as its state lasts', () => {
    const first = fact('fff');
    const checks = [{ name: 'check 1', count: after('ffff') }];
    expect(combine(checks, first, instant(90_000))).toEqual(first);
    expect(combine([{ name: 'check 1', count: after('fffpp') }], first, instant(90_000)).since).toBe(90_000);
  });
  test('says which check cannot run, once that is no accident', () => {
    const texts = (letters: string) =>
      notRunTexts('web', [{ name: 'unit x.service', count: after(letters) }]);
    expect(texts('ppnn')).toEqual([]);
    expect(texts('ppnnn')).toEqual(['web: unit x.service cannot be checked and stays ready: no permission']);
    expect(texts('ppnnnp')).toEqual([]);
  });
});
