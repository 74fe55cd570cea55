/** The limits are those of the formula, computed here by hand for the defaults. */
import { describe, expect, test } from 'vitest';
import {
  cellMillis,
  evidenceCells,
  firstWindowMillis,
  patienceCells,
  thresholds,
} from '../../src/core/health/thresholds.ts';
import { addRtt, newHistogram, quantile, rttBin } from '../../src/core/health/rtt-histogram.ts';
import { millis, ratio } from '../../src/types/units.ts';
import { policyWith, yearMillis } from './health-world.ts';

describe('thresholds', () => {
  test('follow from good, bad, the budget of false alarms and the rate', () => {
    const { loss, slow } = thresholds(policyWith(), 15);
    // ln(0.05/0.005), ln(0.95/0.995); drift 0.005·2.3026 − 0.995·0.04628 = −0.03454; ln(10 a · 15/s · 0.03454).
    expect(loss.badScore).toBeCloseTo(Math.LN10, 9);
    expect(loss.goodScore).toBeCloseTo(-0.04628, 4);
    expect(loss.limit).toBeCloseTo(Math.log(3.15576e8 * 15 * 0.034535), 3);
    expect(loss.cellCap).toBeCloseTo(loss.limit / 5, 9);
    expect(loss.noise).toBeCloseTo((0.9 * loss.limit) / 5, 9);
    expect(loss.cleanRatio).toBeCloseTo(0.01581, 4);
    expect(slow.limit).toBeCloseTo(Math.log(3.15576e8 * 15 * 0.4947), 3);
    expect(slow.cleanRatio).toBeCloseTo(0.15811, 4);
  });

  test.each([
    { patience: 0, cell: 100, cells: 0, evidence: 100, window: 2000 },
    { patience: 500, cell: 100, cells: 5, evidence: 100, window: 2500 },
    { patience: 5000, cell: 1000, cells: 5, evidence: 10, window: 7000 },
    { patience: 20_000, cell: 1000, cells: 20, evidence: 20, window: 22_000 },
  ])(
    'take a patience of $patience ms as $cells cells of $cell ms',
    ({ patience, cell, cells, evidence, window }) => {
      const policy = policyWith({ patienceMillis: millis(patience) });
      expect(cellMillis(policy)).toBe(cell);
      expect(patienceCells(policy)).toBe(cells);
      expect(evidenceCells(policy)).toBe(evidence);
      expect(firstWindowMillis(policy, { timeoutMillis: millis(1000) })).toBe(window);
      expect(thresholds(policy, 20).loss.cellCap).toBe(
        cells === 0 ? Infinity : thresholds(policy, 20).loss.limit / cells,
      );
    },
  );

  test('are higher for a longer budget and a faster pool, and finite at the ends of the scale', () => {
    const budget = (years: number) => policyWith({ falseAlarmMillis: millis(years * yearMillis) });
    expect(thresholds(budget(100), 15).loss.limit).toBeGreaterThan(thresholds(budget(10), 15).loss.limit);
    expect(thresholds(budget(10), 100).loss.limit).toBeGreaterThan(thresholds(budget(10), 15).loss.limit);
    const ends = policyWith({ loss: { good: ratio(0), bad: ratio(1) }, falseAlarmMillis: millis(0) });
    for (const value of Object.values(thresholds(ends, 0).loss)) expect(Number.isFinite(value)).toBe(true);
  });
});

describe('the histogram of round trips', () => {
  test('gives quantiles to within 1 %, and forgets what is taken out', () => {
    const histogram = newHistogram();
    const times = Array.from({ length: 1000 }, (_, index) => 20 + index / 10);
    for (const time of times) addRtt(histogram, rttBin(millis(time)), 1);
    for (const share of [0.5, 0.95]) {
      const exact = times[Math.ceil(share * 1000) - 1] ?? 0;
      expect(Math.abs((quantile(histogram, share) ?? 0) / exact - 1)).toBeLessThan(0.013);
    }
    for (const time of times) addRtt(histogram, rttBin(millis(time)), -1);
    expect(quantile(histogram, 0.5)).toBeNull();
  });

  test.each([0, 0.01, 0.3, 412, 99_000])('has a bin for %f ms', (time) => {
    const histogram = newHistogram();
    addRtt(histogram, rttBin(millis(time)), 1);
    expect(quantile(histogram, 0.95)).toBeGreaterThan(0);
  });
});
