/** When a soak counts as flat: from the first to the last third, after the warm-up. */
import { describe, expect, test } from 'vitest';
import { type HourFigures, verdictOf } from '../../bench/soak-figures.ts';

const hour = (number: number, more: Partial<HourFigures> = {}): HourFigures => ({
  hour: number,
  heapMegabytes: 20,
  residentMegabytes: 130,
  descriptors: 20,
  lagP50Millis: 10,
  lagP99Millis: 20,
  cpuSeconds: 10,
  changes: 0,
  ...more,
});
const day = (of: (number: number) => Partial<HourFigures>): readonly HourFigures[] =>
  Array.from({ length: 24 }, (_, index) => hour(index + 1, of(index + 1)));

describe('a soak', () => {
  test('is flat where nothing rises, whatever the first two hours were', () => {
    expect(verdictOf(day((number) => ({ heapMegabytes: number <= 2 ? 10 : 20 }))).isFlat).toBe(true);
  });
  test('breathes: a peak between two collections is no leak', () => {
    expect(verdictOf(day((number) => ({ heapMegabytes: 20 + (number % 3) * 10 }))).isFlat).toBe(true);
  });
  test('is not flat where the heap rises half a megabyte an hour', () => {
    expect(verdictOf(day((number) => ({ heapMegabytes: 20 + number / 2 })))).toMatchObject({ isFlat: false });
  });
  test('is not flat where one descriptor stays open', () => {
    expect(verdictOf(day((number) => ({ descriptors: number > 12 ? 21 : 20 })))).toMatchObject({
      isFlat: false,
      descriptorsMore: 1,
    });
  });
});
