import { isIP } from 'node:net';
import { fc, test as property } from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { contains, parseAddress, parseIp, parsePrefix, spanOfAddress } from '../../src/config/addresses.ts';
import {
  formatDuration,
  formatRate,
  formatRatio,
  parseDuration,
  parsePercent,
  parseRate,
} from '../../src/config/quantities.ts';

const day = 86_400_000;
const any = { min: 0, max: 10_000 * day };

describe('durations', () => {
  test.each([
    ['200ms', 200],
    ['5s', 5000],
    ['1.1s', 1100],
    ['0.2s', 200],
    ['10min', 600_000],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['7d', 7 * day],
    ['0s', 0],
    [0, 0],
  ])('%s is %d ms', (text, length) => {
    expect(parseDuration(text, any)).toEqual({ kind: 'ok', value: length });
  });

  test.each([
    '5',
    5,
    '',
    's',
    '5 s',
    ' 5s',
    '5S',
    '5m',
    '5sec',
    '-5s',
    '+5s',
    '1e3s',
    '5s5s',
    '0x5s',
    '.5s',
    '5.s',
    '1y',
    null,
    true,
    [],
    {},
    Number.NaN,
  ])('%j is none', (value) => {
    expect(parseDuration(value, any)).toMatchObject({ kind: 'bad', flaws: [{ path: [] }] });
  });

  test('a fraction of a millisecond is refused with that reason', () => {
    expect(parseDuration('0.5ms', any)).toMatchObject({
      kind: 'bad',
      flaws: [{ allowed: expect.stringMatching(/in whole milliseconds$/) }],
    });
  });

  property.prop([fc.nat(2 ** 31)])('what is printed parses to the same', (length) => {
    expect(parseDuration(formatDuration(length), any)).toEqual({ kind: 'ok', value: length });
  });
});

describe('percentages', () => {
  test.each([
    ['0.5%', 0.005],
    ['5%', 0.05],
    ['100%', 1],
    ['33.3%', 0.333],
    ['0%', 0],
  ])('%s is %d', (text, share) => {
    expect(parsePercent(text, { min: 0, max: 1 })).toEqual({ kind: 'ok', value: share });
  });

  test.each(['5', 5, 0.05, '5 %', '%', '-1%', '101%', '1e1%', '5%%', null])('%j is none', (value) => {
    expect(parsePercent(value, { min: 0, max: 1 }).kind).toBe('bad');
  });

  property.prop([fc.nat(100_000_000)])('what is printed parses to the same', (millionths) => {
    const share = Number((millionths / 1e8).toFixed(8));
    expect(parsePercent(formatRatio(share), { min: 0, max: 1 })).toEqual({ kind: 'ok', value: share });
  });
});

describe('budgets', () => {
  test.each([
    ['1/10y', 3650 * day],
    ['2/1y', 182.5 * day],
    ['1/30d', 30 * day],
    ['1/1h', 3_600_000],
  ])('%s is one in %d ms', (text, between) => {
    expect(parseRate(text, { min: 3_600_000, max: any.max })).toEqual({ kind: 'ok', value: between });
  });

  test.each(['10y', '1', '0/1y', '1/0y', '1/y', '1.5/1y', '1/10', '1/10s', '-1/1y', 1, null])(
    '%j is none',
    (value) => {
      expect(parseRate(value, { min: 3_600_000, max: any.max }).kind).toBe('bad');
    },
  );

  property.prop([fc.integer({ min: 1, max: 50 }), fc.integer({ min: 60, max: 5_000_000 })])(
    'what is printed parses to the same',
    (count, minutes) => {
      const parsed = parseRate(`${count}/${minutes}min`, { min: 1, max: any.max });
      if (parsed.kind === 'bad') throw new Error(`${count}/${minutes}min`);
      expect(parseRate(formatRate(parsed.value), { min: 1, max: any.max })).toEqual(parsed);
    },
  );
});

describe('addresses', () => {
  property.prop(
    [fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/))],
    { numRuns: 1000 },
  )('what is taken for an address is one for Node too', (text) => {
    if (parseIp(text) !== null) expect(isIP(text)).not.toBe(0);
  });

  property.prop([fc.oneof(fc.ipV4(), fc.ipV6())], { numRuns: 500 })(
    'every address of Node is taken, and its canonical text again',
    (text) => {
      const parsed = parseIp(text);
      expect(parsed).not.toBeNull();
      const canonical = parseAddress(text);
      if (canonical.kind === 'ok') expect(parseAddress(canonical.value.text)).toEqual(canonical);
    },
  );

  test.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1::', '2001:db8:0:1::'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s is printed %s', (text, canonical) => {
    expect(parseAddress(text)).toMatchObject({ kind: 'ok', value: { text: canonical } });
  });

  test.each([
    '0.0.0.0',
    '::',
    '127.0.0.1',
    '::1',
    '255.255.255.255',
    'ff02::1',
    '::ffff:10.0.0.1',
    '10.0.0',
    '0x7f.1',
    '1',
    '10.0.0.1:80',
    'host',
    3,
    null,
  ])('%j is none', (value) => {
    expect(parseAddress(value).kind).toBe('bad');
  });

  test.each([
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '0.0.0.0/0',
    '::/0',
    '224.0.0.0/8',
    'fe80::/129',
    '10.0.0.0/24/1',
    '/24',
  ])('%j is no prefix', (value) => {
    expect(parsePrefix(value).kind).toBe('bad');
  });

  property.prop([fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128)], { numRuns: 500 })(
    'of a prefix with host bits the one without them is named, which is taken',
    (address, length) => {
      const parsed = parsePrefix(`${address}/${length}`);
      const named =
        parsed.kind === 'bad'
          ? /without host bits: (.*)$/.exec(parsed.flaws[0]?.allowed ?? '')?.[1]
          : undefined;
      if (named === undefined) return;
      const again = parsePrefix(named);
      const span = spanOfAddress(address);
      if (again.kind === 'bad') expect(again.flaws[0]?.allowed).toBe('a prefix of unicast addresses');
      else expect(span !== null && contains(again.value, span)).toBe(true);
    },
  );
});
