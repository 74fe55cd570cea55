/** What a large fleet's steps cost together: added up from the cost of each. */
import { expect, test } from 'vitest';
import { sumOf } from '../../bench/scale/sum.ts';

const step = { redisMicros: 0, nodeMicros: 0, inBytes: 0, outBytes: 0 };
const units = {
  presenceBytes: 1000,
  cycle: { redisMicros: 100, nodeMicros: 1000, inBytes: 1000, outBytes: 5000 },
  reading: { ...step, redisMicros: 50, nodeMicros: 500, outBytes: 1000 },
  ringing: { ...step, redisMicros: 10, outBytes: 1000 },
};
const fleet = { uplinks: 4, targets: 50, changesPerHour: 12 };

test('a fleet in which nothing changes makes two cycles a second and node', () => {
  const { redisShare, nodeShare, redisInBytes } = sumOf(100, { ...fleet, changesPerHour: 1e-6 }, units);
  expect(redisShare).toBeCloseTo(0.02);
  expect(nodeShare).toBeCloseTo(0.002);
  expect(redisInBytes).toBeCloseTo(200_000, -2);
});

test('a change rings and is read by every node', () => {
  const [quiet, busy] = [1e-6, 36].map((changesPerHour) => sumOf(100, { ...fleet, changesPerHour }, units));
  // One change a second: 100 nodes read it and are rung, and their cycles come sooner: 2.54 a second.
  expect((busy?.redisShare ?? 0) - (quiet?.redisShare ?? 0)).toBeCloseTo(100 * 60e-6 + 100 * 0.5415 * 100e-6);
});
