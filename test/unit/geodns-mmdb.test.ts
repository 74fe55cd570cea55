/** The MMDB writer and reader against each other and against libmaxminddb's own reader; broken files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAddress } from '../../geodns/address.ts';
import { type GeoFacts, geoLookup, mmdbOf, nothingKnown, openMmdb } from '../../geodns/mmdb/geo.ts';
import { addressesOfRecords } from '../../geodns/mmdb/walk.ts';
import { type MmdbEntry, writeMmdb } from '../../geodns/mmdb/write.ts';

const options = { type: 'Test-ASN', buildEpochSeconds: 1_796_000_000 };
const asnEntries: readonly MmdbEntry[] = [
  {
    prefix: '198.51.0.0/16',
    record: { autonomous_system_number: 4134, autonomous_system_organization: 'Chinanet' },
  },
  {
    prefix: '198.51.100.128/25',
    record: { autonomous_system_number: 9269, autonomous_system_organization: 'HKBN' },
  },
  { prefix: '2001:db8::/32', record: { autonomous_system_number: 4200000000 } },
  { prefix: '192.0.2.0/24', record: { autonomous_system_number: '64500' } },
];
const countryEntries: readonly MmdbEntry[] = [
  {
    prefix: '198.51.100.0/24',
    record: { country: { iso_code: 'CN' }, continent: { code: 'AS' }, subdivisions: [{ iso_code: 'GD' }] },
  },
  { prefix: '198.51.101.0/24', record: { country: { iso_code: 'hk' } } },
  { prefix: '192.0.2.0/24', record: { registered_country: { iso_code: 'CN' } } },
];
const asn = writeMmdb(asnEntries, options);
const country = writeMmdb(countryEntries, { ...options, type: 'Test-City' });
const lookup = geoLookup(mmdbOf('asn', asn, 'asn'), mmdbOf('country', country, 'country'));
const root = mkdtempSync(join(tmpdir(), 'causeway-mmdb-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function facts(text: string): GeoFacts | undefined {
  const address = parseAddress(text);
  return address && lookup(address);
}

describe('look-up', () => {
  test.each<{ address: string; expected: Partial<GeoFacts> }>([
    {
      address: '198.51.100.1',
      expected: { asn: 4134, country: 'CN', subdivision: 'CN-GD', continent: 'AS' },
    },
    { address: '198.51.100.129', expected: { asn: 9269, organisation: 'HKBN' } },
    { address: '198.51.101.7', expected: { country: 'HK', continent: null, subdivision: null } },
    { address: '::ffff:198.51.100.1', expected: { asn: 4134 } },
    { address: '2002:c633:6401::', expected: { asn: 4134 } },
    { address: '2001:db8:5::1', expected: { asn: 4200000000 } },
    { address: '192.0.2.1', expected: nothingKnown },
    { address: '203.0.113.1', expected: nothingKnown },
  ])('of $address', ({ address, expected }) => {
    expect(facts(address)).toMatchObject(expected);
  });

  test('without any database everybody is unknown', () => {
    expect(geoLookup(null, null)({ family: 4, value: 1n })).toEqual(nothingKnown);
  });
});

test("libmaxminddb's reader finds the same", async () => {
  const file = join(root, 'asn.mmdb');
  writeFileSync(file, asn);
  const { stdout } = await execa('mmdblookup', ['--file', file, '--ip', '198.51.100.200']);
  expect(stdout).toMatch(/"autonomous_system_number":\s+9269 <uint32>/);
});

test('the walk meets every distinct record once', () => {
  const { reader } = mmdbOf('asn', asn, 'asn');
  const found = [...addressesOfRecords(asn, reader)];
  expect(found).toHaveLength(asnEntries.length);
  expect(found.every((address) => reader.get(address) !== null)).toBe(true);
});

describe('a file that is none', () => {
  test.each([
    { name: 'empty', file: Buffer.alloc(0), code: 'mmdb-broken' },
    { name: 'cut to a half', file: asn.subarray(0, asn.length / 2), code: 'mmdb-broken' },
    {
      name: 'compressed under the same name',
      file: Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]),
      code: 'mmdb-broken',
    },
    { name: 'of the other kind', file: country, code: 'mmdb-layout' },
    {
      name: 'flat',
      file: writeMmdb([{ prefix: '1.0.0.0/8', record: { asn: 1 } }], options),
      code: 'mmdb-layout',
    },
  ])('$name is refused with a code', ({ file, code }) => {
    expect(() => mmdbOf('asn.mmdb', Buffer.from(file), 'asn')).toThrow(expect.objectContaining({ code }));
  });

  test('a missing one is refused with a code', async () => {
    await expect(openMmdb(join(root, 'missing'), 'asn')).rejects.toMatchObject({ code: 'mmdb-unreadable' });
  });

  test('a wide tree is written with wide records and read back', () => {
    const entries = Array.from({ length: 3000 }, (_, index) => ({
      prefix: `10.${index >> 8}.${index & 255}.0/24`,
      record: { autonomous_system_number: index + 1, autonomous_system_organization: 'x'.repeat(300) },
    }));
    const { reader } = mmdbOf('wide', writeMmdb(entries, options), 'asn');
    expect(reader.get('10.11.183.1')).toMatchObject({ autonomous_system_number: 3000 });
  });
});
