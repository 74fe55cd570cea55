/** Keys of the guards: budgets, canary, capacity and tied families. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { formatBitRate, formatCount, parseBitRate, parseCount } from '../../src/config/quantities.ts';
import { readConfig } from '../../src/config/read.ts';
import { millis } from '../../src/types/units.ts';
import { problemsOf, sample } from './config-sample.ts';

const counts = { min: 1, max: 1000 };
const windows = { min: 10_000, max: 86_400_000 };
const rates = { min: 1e5, max: 1e13 };

function configOf(text: string) {
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'bad') throw new Error(result.problems.map((one) => one.text).join('\n'));
  return result.config;
}

describe('a count within a time', () => {
  test.each([
    ['3/15min', 3, 900_000],
    ['1/10s', 1, 10_000],
    ['1000/1d', 1000, 86_400_000],
  ])('%s', (text, count, windowMillis) => {
    expect(parseCount(text, counts, windows)).toEqual({ kind: 'ok', value: { count, windowMillis } });
    expect(formatCount({ count, windowMillis: millis(windowMillis) })).toBe(text);
  });

  test.each([
    '3',
    3,
    '3/',
    '/15min',
    '0/15min',
    '1001/15min',
    '3/15',
    '3/5s',
    '3/2d',
    '3 / 15min',
    '-3/15min',
    null,
    {},
  ])('%j is none', (value) => {
    expect(parseCount(value, counts, windows)).toMatchObject({ kind: 'bad' });
  });
});

describe('what a link carries', () => {
  test.each([
    ['10gbit', 10e9],
    ['2.5gbit', 2.5e9],
    ['100mbit', 1e8],
    ['100kbit', 1e5],
  ])('%s', (text, bits) => {
    expect(parseBitRate(text, rates)).toEqual({ kind: 'ok', value: bits });
    expect(parseBitRate(formatBitRate(bits), rates)).toEqual({ kind: 'ok', value: bits });
  });

  test.each(['10', 10, '10Gbit', '10 gbit', '10gb', '99kbit', '10001gbit', '', null, []])(
    '%j is none',
    (value) => {
      expect(parseBitRate(value, rates)).toMatchObject({ kind: 'bad' });
    },
  );
});

describe('guards in the config', () => {
  const guarded = `${sample.replace('    carrier: cmi\n', '    carrier: cmi\n    capacity: 2.5gbit\n')}  tie_families: true
guards: { keep_nodes: 2, max_withdrawals: 2/10min, flap_budget: juniper }
`;

  test('are read with their units, and what is left out has its default', () => {
    const config = configOf(guarded);
    expect(config.guards).toEqual({
      keepUplinks: 1,
      keepNodes: 2,
      togetherMillis: 15_000,
      maxWithdrawals: { count: 2, windowMillis: 600_000 },
      flapBudget: 'juniper',
    });
    expect(config.policy).toMatchObject({ tieFamilies: true, recovery: { canary: 'drain' } });
    expect(config.uplinks.map(({ capacityBits }) => capacityBits)).toEqual([2.5e9, null]);
  });

  test('what explain prints loads to the same', () => {
    const config = configOf(guarded);
    expect(configOf(explainConfig(config))).toEqual(config);
  });

  test.each([
    [
      'max_withdrawals: often',
      'guards.max_withdrawals: found "often", allowed: a count from 1 to 1000, a slash and a time from 10s to 1d, such as 3/15min',
    ],
    ['flap_budget: huawei', 'guards.flap_budget: found "huawei", allowed: cisco, juniper, rfc7196 or off'],
    ['keep_nodes: -1', 'guards.keep_nodes: found -1, allowed: a whole number from 0 to 1000, without quotes'],
  ])('%s is refused at its place', (line, says) => {
    const text = `${sample}guards: { ${line} }\n`;
    expect(problemsOf(text)).toEqual([expect.stringContaining(says)]);
    expect(problemsOf(text)[0]).toMatch(/^causeway\.yaml:\d+:\d+: /);
  });
});

describe('tied families', () => {
  const four = sample
    .replaceAll(/\["?([\d.:]+)"?, "[\d:a-f[\]]+"\], tcp: 443/g, '$1, tcp: 443')
    .replaceAll(/ping: \["?([\d.]+)"?, "[\d:a-f]+"\]/g, 'ping: $1')
    .replace('tcp: ["198.51.100.21:443", "[2001:db8:63::21]:443"]', 'tcp: "198.51.100.21:443"');

  test('need no targets in the other family, and without the tie they do', () => {
    expect(problemsOf(`${four}  tie_families: true\n`)).toEqual([]);
    expect(problemsOf(four)).toHaveLength(2);
    expect(problemsOf(four)[0]).toContain('3 or more with IPv6');
  });
});
