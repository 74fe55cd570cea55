/** Classification and the MMDB reader (edge/lua/edge/networks.lua, mmdb.lua) against plain TypeScript that tries every entry. */
import { readFileSync } from 'node:fs';
import { fc, test } from '../support/property.ts';
import ipaddr from 'ipaddr.js';
import { afterAll, describe, expect } from 'vitest';
import { parse } from 'yaml';
import { loadNetworks } from '../../edge/conf/load.ts';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { networksFile } from '../../src/types/wire/networks.ts';
import { startLua } from '../support/lua.ts';

const file = 'test/fixtures/edge/networks.yaml';
const classifier = startLua(`
  local networks = require 'edge.networks'
  local address = require 'edge.address'
  local built
  local function bytes(hex) return (hex:gsub('%x%x', function(p) return string.char(tonumber(p, 16)) end)) end
  return function(ask)
    if ask.compiled then built = networks.build(ask.compiled) return true end
    local found = networks.classify(built, address.canonical(bytes(ask.hex)), ask.asn)
    return found and found.name or false
  end`);
const reader = startLua(`
  local mmdb = require 'edge.mmdb'
  local function bytes(hex) return (hex:gsub('%x%x', function(p) return string.char(tonumber(p, 16)) end)) end
  return function(ask)
    local db, why = mmdb.parse(bytes(ask.file))
    if not db then return { problem = why } end
    local out = {}
    for i, hex in ipairs(ask.addresses) do
      local record = mmdb.lookup(db, bytes(hex))
      out[i] = record and record.autonomous_system_number or false
    end
    return { found = out }
  end`);
afterAll(async () => {
  await classifier.close();
  await reader.close();
});

const hexOf = (address: string): string =>
  ipaddr
    .parse(address)
    .toByteArray()
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

function holds(prefix: string, address: string): boolean {
  const [network, length] = ipaddr.parseCIDR(prefix);
  const one = ipaddr.parse(address);
  return one.kind() === network.kind() && one.match(network, length);
}

const near = (third: number): fc.Arbitrary<string> =>
  fc.tuple(fc.integer({ min: 0, max: third }), fc.nat(255)).map(([c, d]) => `203.0.${112 + c}.${d}`);
const six = fc
  .tuple(fc.constantFrom('c0', 'cf', 'd0', 'bf'), fc.nat(65535))
  .map(([part, last]) => `2001:db8:${part}::${last.toString(16)}`);
const addresses = fc.oneof(
  near(3),
  six,
  fc.ipV4(),
  fc.ipV6().filter((text) => ipaddr.isValid(text)),
);

describe('classification', () => {
  const source = networksFile.parse(parse(readFileSync(file, 'utf8')));
  const all = Object.entries(source.networks);
  const reference = (address: string, asn: number | null): string | false => {
    const overrides = all.flatMap(([name, network]) =>
      network.prefixes
        .filter((prefix) => holds(prefix, address))
        .map((prefix) => ({ name, length: Number(prefix.split('/')[1]) })),
    );
    const longest = overrides.sort((a, b) => b.length - a.length)[0];
    if (longest) return longest.name;
    if (asn === null || all.some(([, network]) => network.exclude.includes(asn))) return false;
    return all.find(([, network]) => network.asns.includes(asn))?.[0] ?? false;
  };
  const asns = fc.option(
    fc.constantFrom(...all.flatMap(([, network]) => network.asns.concat(network.exclude)), 64500, 1),
    { nil: null },
  );

  test.prop([addresses, asns], { numRuns: 1000 })(
    'is what trying every entry gives, for IPv4, IPv6 and mapped addresses',
    async (address, asn) => {
      const compiled = await loadNetworks(file);
      if (compiled.kind === 'wrong') throw new Error('fixture');
      await classifier.call({ compiled: compiled.value });
      const one = ipaddr.parse(address);
      const plain =
        one instanceof ipaddr.IPv6 && one.isIPv4MappedAddress() ? one.toIPv4Address().toString() : address;
      expect(await classifier.call({ hex: hexOf(address), asn: asn ?? undefined })).toBe(
        reference(plain, asn),
      );
      if (one.kind() === 'ipv4') {
        expect(await classifier.call({ hex: hexOf(`::ffff:${address}`), asn: asn ?? undefined })).toBe(
          reference(address, asn),
        );
      }
    },
  );
});

describe('the MMDB reader', () => {
  const entry = fc.oneof(
    fc.tuple(near(3), fc.integer({ min: 8, max: 32 })).map(([address, length]) => mask(address, length)),
    fc.tuple(six, fc.integer({ min: 20, max: 128 })).map(([address, length]) => mask(address, length)),
  );
  const rows = fc.array(fc.record({ prefix: entry, asn: fc.integer({ min: 1, max: 4294967295 }) }), {
    minLength: 1,
    maxLength: 30,
  });
  const bits = fc.constantFrom(24 as const, 28 as const, 32 as const);

  test.prop([rows, bits, fc.array(addresses, { minLength: 1, maxLength: 50 })])(
    'finds the longest prefix’s record in files of 24, 28 and 32 bits',
    async (list, recordBits, wanted) => {
      const unique = [...new Map(list.map((row) => [row.prefix, row])).values()];
      const bytes = writeAsnMmdb(
        unique.map((row) => ({ ...row, organisation: 'x'.repeat(row.asn % 400) })),
        { recordBits },
      );
      const answer = await reader.call({
        file: Buffer.from(bytes).toString('hex'),
        addresses: wanted.map(hexOf),
      });
      expect(answer).toEqual({ found: wanted.map((address) => longestAsn(unique, address)) });
    },
  );

  test.prop([
    rows,
    bits,
    fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) }), {
      maxLength: 8,
    }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  ])(
    'gives a record, none, or a reason for any broken file, and never fails',
    async (list, recordBits, changes, keep) => {
      const bytes = Buffer.from(
        writeAsnMmdb(
          list.map((row) => ({ ...row, organisation: 'x' })),
          { recordBits },
        ),
      );
      for (const change of changes) bytes[Math.floor(change.at * (bytes.length - 1))] = change.byte;
      const cut = keep < 0.5 ? bytes : bytes.subarray(Math.floor(keep * bytes.length));
      const answer = await reader.call({
        file: cut.toString('hex'),
        addresses: ['cb007101', '20010db800c000000000000000000001'],
      });
      expect(answer).toBeTypeOf('object');
    },
  );
});

function mask(address: string, length: number): string {
  const one = ipaddr.parse(address);
  const bytes = one
    .toByteArray()
    .map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, length - index * 8))));
  return `${ipaddr.fromByteArray(bytes).toString()}/${length}`;
}

function longestAsn(
  rows: readonly { readonly prefix: string; readonly asn: number }[],
  address: string,
): number | false {
  const one = ipaddr.parse(address);
  const mapped = one instanceof ipaddr.IPv6 && one.range() === 'ipv4Mapped';
  const inside = mapped ? [] : rows.filter((row) => holds(row.prefix, address));
  const best = inside.sort((a, b) => Number(b.prefix.split('/')[1]) - Number(a.prefix.split('/')[1]))[0];
  return best?.asn ?? false;
}
