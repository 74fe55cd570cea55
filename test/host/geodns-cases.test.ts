/**
 * Inputs that broke other GeoDNS servers in public, on real PowerDNS at all three sites. (docs/geodns.md lists them with
 * the tests of those that need no PowerDNS.)
 */
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSubnet, type Subnet } from '../../geodns/address.ts';
import { emptyState } from '../../geodns/decision/state.ts';
import type { AskOptions } from '../../geodns/dns/ask.ts';
import { decodeReply, encodeQuestion, type QueryType, type Reply } from '../../geodns/dns/message.ts';
import { type MmdbEntry, writeMmdb } from '../../geodns/mmdb/write.ts';
import { loadNetworks } from '../../geodns/networks/load.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { Publisher } from '../support/geodns-answers.ts';
import { askPatiently } from '../support/geodns-api.ts';
import { value } from '../support/geodns.ts';

/** One /24 for each record that a database may have. */
const odd: readonly { readonly net: number; readonly asn?: unknown; readonly place?: object }[] = [
  { net: 1, place: { country: { iso_code: 'CN' }, continent: { code: 'AS' } } },
  { net: 2, place: { country: { iso_code: 'HK' }, continent: { code: 'AS' } } },
  { net: 3, place: { country: { iso_code: 'MO' }, continent: { code: 'AS' } } },
  { net: 4, place: { country: { iso_code: 'TW' }, continent: { code: 'AS' } } },
  ...['EU', 'AP', 'A1', 'A2', 'O1', 'T1', 'XK', ''].map((code, index) => ({
    net: 10 + index,
    asn: 64_600,
    place: { country: { iso_code: code } },
  })),
  { net: 20, place: { country: { iso_code: 'hk' } } },
  { net: 21, place: { country: { iso_code: 'cn' } } },
  { net: 22, asn: 9808 },
  { net: 23, asn: 9808, place: {} },
  { net: 24, place: { registered_country: { iso_code: 'CN' } } },
  { net: 25, asn: '9808', place: {} },
  { net: 26, asn: 9269, place: { country: { iso_code: 'CN' } } },
  { net: 27, asn: 64_610, place: { country: { iso_code: 'CN' } } },
  { net: 28, asn: 0, place: { country: { iso_code: 'CN' } } },
];
const prefixes = (net: number): readonly string[] => [`45.0.${net}.0/24`, `2400:${net}::/32`];
const entriesOf = (field: 'asn' | 'place'): readonly MmdbEntry[] =>
  odd.flatMap((one) =>
    one[field] === undefined
      ? []
      : prefixes(one.net).map((prefix) => ({
          prefix,
          record: (field === 'asn'
            ? { autonomous_system_number: one.asn }
            : one.place) as MmdbEntry['record'],
        })),
  );
const special: readonly MmdbEntry[] = [
  { prefix: '198.51.100.0/24', record: { country: { iso_code: 'CN' } } },
  { prefix: '192.0.2.0/24', record: { country: { iso_code: 'CN' } } },
  // A resolver.
  { prefix: '127.0.0.3/32', record: { country: { iso_code: 'CN' } } },
];
const world = {
  asn: writeMmdb(entriesOf('asn'), { type: 'Odd-ASN', buildEpochSeconds: 1_796_000_000 }),
  country: writeMmdb([...entriesOf('place'), ...special], {
    type: 'Odd-City',
    buildEpochSeconds: 1_796_000_000,
  }),
};

const networks = value(
  loadNetworks(
    'networks.yaml',
    `version: "2026-11-30"
networks:
  cm: { title: Mobile, kind: access, asns: [9808], carriers: [cmi] }
  hkbn: { title: HKBN, kind: access, asns: [9269], carriers: [hkbn] }
  office: { title: Office, kind: access, prefixes: [198.51.100.128/25], carriers: [hkbn] }
`,
  ),
);
const address = {
  cn: '203.0.113.1',
  hkbn: '203.0.113.2',
  ship: '203.0.113.3',
  default: '203.0.113.9',
} as const;
const rules = value(
  loadRules(
    'rules.yaml',
    `version: 1
zone: geo.test
nameservers: [ns1.geo.test, ns2.geo.test]
hostmaster: hostmaster.geo.test
ttl: 30s
targets:
  n1/cn: { v4: [${address.cn}], v6: ["2001:db8::1"] }
  n1/hkbn: { v4: [${address.hkbn}], v6: ["2001:db8::2"] }
  n1/ship: { v4: [${address.ship}], v6: ["2001:db8::3"] }
  n1/all: { v4: [${address.default}], v6: ["2001:db8::9"] }
  n1/four: { v4: [203.0.113.4] }
pools:
  cn: { targets: [n1/cn] }
  hkbn: { targets: [n1/hkbn] }
  ship: { targets: [n1/ship] }
  default: { targets: [n1/all] }
  four: { targets: [n1/four] }
policies:
  main:
    default: [default]
    rules:
      - { networks: [office, hkbn], use: [hkbn] }
      - { asns: [64610], use: [ship], note: a ship under the flag of its operator }
      - { countries: [CN], use: [cn] }
      - { networks: [cm], use: [hkbn] }
  four: { default: [four] }
names: { www: main, four: four, "*.v": main }
`,
    networks,
  ),
);

let stand: Stand;
beforeAll(async () => {
  stand = await startStand(world);
  await new Publisher(stand, networks).publish(emptyState, rules);
});
afterAll(() => stand?.stop());

const subnet = (text: string): Subnet => {
  const parsed = parseSubnet(text);
  if (parsed === undefined) throw new Error(`${text} is no subnet`);
  return parsed;
};

/** What all sites say alike. */
async function everywhere(name: string, type: QueryType, options: AskOptions): Promise<Reply> {
  const [first, ...others] = await Promise.all(
    stand.sites.map((site) => askPatiently(site, name, type, options)),
  );
  if (first === undefined) throw new Error('there is no site');
  for (const other of others) expect({ ...other, id: 0 }).toEqual({ ...first, id: 0 });
  return first;
}

async function answered(options: AskOptions, name = 'www.geo.test.'): Promise<string | null | undefined> {
  const reply = await everywhere(name, 'A', options);
  expect([reply.rcode, reply.answers.length]).toEqual([0, 1]);
  return reply.answers[0]?.data;
}

describe('the scope of an answer', () => {
  test.each([
    { text: '198.51.100.0/24', right: address.cn },
    { text: '198.51.100.0/25', right: address.cn },
    { text: '198.51.100.128/25', right: address.hkbn },
    { text: '198.51.100.200/32', right: address.hkbn },
    { text: '198.51.0.0/16', right: address.default },
    { text: '2400:1::/56', right: address.cn },
  ])('to $text is its source length, so that no cache hands it to others', async ({ text, right }) => {
    const reply = await everywhere('www.geo.test.', 'A', { subnet: subnet(text) });
    expect(reply.answers.map(({ data }) => data)).toEqual([right]);
    const { length } = subnet(text);
    expect(reply.ecs).toEqual({ sourceLength: length, scopeLength: length });
  });

  test('is not told to a resolver that tells no client subnet', async () => {
    const reply = await everywhere('www.geo.test.', 'A', {});
    expect([reply.ecs, reply.answers.map(({ data }) => data)]).toEqual([null, [address.default]]);
  });

  test.each([
    { name: 'a name that is not there', question: 'nosuch.geo.test.', type: 'A', rcode: 3 },
    { name: 'a type that the name does not have', question: 'www.geo.test.', type: 'TXT', rcode: 0 },
    { name: 'a family that no pool has', question: 'four.geo.test.', type: 'AAAA', rcode: 0 },
  ] as const)('of a negative answer, $name, is for everybody', async ({ question, type, rcode }) => {
    const reply = await everywhere(question, type, { subnet: subnet('45.0.1.0/24') });
    expect([reply.rcode, reply.answers]).toEqual([rcode, []]);
    expect(reply.ecs?.scopeLength ?? 0).toBe(0);
  });

  test('of a name that does not depend on the client is no wrong answer for anybody', async () => {
    const replies = await Promise.all(
      ['45.0.1.0/24', '45.0.2.0/24'].map((text) => everywhere('geo.test.', 'NS', { subnet: subnet(text) })),
    );
    expect(replies.map(({ answers }) => answers.length)).toEqual([2, 2]);
  });
});

describe('a client subnet of length 0', () => {
  test.each(['0.0.0.0/0', '::/0'])(
    '%s is the resolver, also below a wildcard, and for each resolver anew',
    async (text) => {
      for (const name of ['www.geo.test.', 'deep.v.geo.test.'])
        for (const [from, right] of [
          ['127.0.0.2', address.default],
          ['127.0.0.3', address.cn],
          ['127.0.0.4', address.default],
        ] as const)
          expect([from, await answered({ subnet: subnet(text), from }, name)]).toEqual([from, right]);
    },
  );
});

describe('codes of countries', () => {
  test.each([
    { net: 1, what: 'CN has the pool of CN', right: address.cn },
    { net: 2, what: 'HK is not CN', right: address.default },
    { net: 3, what: 'MO is not CN', right: address.default },
    { net: 4, what: 'TW is not CN', right: address.default },
    ...['EU', 'AP', 'A1', 'A2', 'O1', 'T1', 'XK', 'the empty code'].map((code, index) => ({
      net: 10 + index,
      what: `${code} is no country of a rule`,
      right: address.default,
    })),
    { net: 20, what: 'hk in small letters is HK', right: address.default },
    { net: 21, what: 'cn in small letters is CN', right: address.cn },
    {
      net: 26,
      what: 'an access network of Hong Kong that the database has in CN is of Hong Kong',
      right: address.hkbn,
    },
    { net: 27, what: 'a ship is what its ASN says, not the country of its operator', right: address.ship },
  ])('$what', async ({ net, right }) => {
    for (const prefix of [`45.0.${net}.0/24`, `2400:${net}::/48`])
      expect(await answered({ subnet: subnet(prefix) })).toBe(right);
  });
});

describe('records with gaps', () => {
  test.each([
    { net: 22, what: 'an ASN without a country', right: address.hkbn },
    { net: 23, what: 'an ASN with an empty place', right: address.hkbn },
    { net: 24, what: 'a registered country alone', right: address.default },
    { net: 25, what: 'an ASN that is text', right: address.default },
    { net: 28, what: 'the ASN 0 in CN', right: address.cn },
    { net: 99, what: 'no record at all', right: address.default },
  ])('$what', async ({ net, right }) => {
    expect(await answered({ subnet: subnet(`45.0.${net}.0/24`) })).toBe(right);
  });

  test('an IPv4 address mapped into IPv6 is the IPv4 address', async () => {
    const mapped = (text: string): Subnet => {
      const { value: bits, length } = subnet(text);
      return { family: 6, value: (0xffffn << 32n) | bits, length: 96 + length };
    };
    expect(await answered({ subnet: mapped('192.0.2.0/24') })).toBe(address.cn);
    expect(await answered({ subnet: mapped('198.51.100.128/25') })).toBe(address.hkbn);
  });
});

describe('a client subnet that is none (RFC 7871 6)', () => {
  /** Family, source length, scope length, address bytes. */
  const malformed: readonly { readonly name: string; readonly option: readonly number[] }[] = [
    { name: 'of an unknown family', option: [0, 3, 24, 0, 45, 0, 1] },
    { name: 'longer than the family has bits', option: [0, 1, 33, 0, 45, 0, 1, 0, 0] },
    { name: 'with too few bytes', option: [0, 1, 24, 0, 45] },
    { name: 'with too many bytes', option: [0, 1, 8, 0, 45, 0, 1, 7] },
    { name: 'cut off in its head', option: [0, 1] },
    { name: 'that is empty', option: [] },
  ];

  test.each(malformed)(
    '$name gets an error or the answer of its resolver, never nothing',
    async ({ option }) => {
      for (const site of stand.sites) {
        const reply = await askRaw(site.dns, option);
        if (reply.rcode === 0) expect([address.default, address.cn]).toContain(reply.answers[0]?.data);
        else expect([1, 5, 16]).toContain(reply.rcode);
        // It lives on.
        expect((await askPatiently(site, 'www.geo.test.', 'A', {})).rcode).toBe(0);
      }
    },
  );

  function askRaw(server: { host: string; port: number }, option: readonly number[]): Promise<Reply> {
    const plain = encodeQuestion({ id: 7, name: 'www.geo.test.', type: 'A', subnet: null });
    const head = Buffer.from([0, 8, option.length >> 8, option.length & 255]);
    const message = Buffer.concat([plain, head, Buffer.from(option)]);
    // The length of the OPT record's data is its last two bytes.
    message.writeUInt16BE(4 + option.length, plain.length - 2);
    return new Promise((resolve, reject) => {
      const socket = createSocket('udp4');
      const late = setTimeout(() => {
        socket.close();
        reject(new Error('no reply'));
      }, 20_000);
      socket.once('message', (reply) => {
        clearTimeout(late);
        socket.close();
        resolve(decodeReply(reply));
      });
      socket.send(message, server.port, server.host);
    });
  }
});
