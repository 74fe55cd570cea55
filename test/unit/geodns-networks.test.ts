/** networks.yaml: loading with places of errors, classification, proposals, and the file that is shipped. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatAddress, parseAddress, parseClient, parseSubnet } from '../../geodns/address.ts';
import { classify } from '../../geodns/networks/classify.ts';
import { loadNetworks, type Networks } from '../../geodns/networks/load.ts';
import { propose } from '../../geodns/networks/propose.ts';
import { formatProblem } from '../../geodns/yaml-file.ts';

const good = `version: 2026-11-01
networks:
  ct:
    title: China Telecom
    asns: [4134, 4809, 4812]
    exclude: [23764]
    organisations: ['chinanet', 'china telecom']
    prefixes: [198.51.100.0/24, "2001:db8:1::/48"]
  hk:
    title: Hong Kong
    asns: [9269]
    prefixes: [198.51.100.128/25]
  cloud: { title: Clouds, kind: hosting, asns: [37963] }
`;

function networks(text = good): Networks {
  const loaded = loadNetworks('networks.yaml', text);
  if (loaded.kind === 'refused') throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.value;
}

function problems(text: string): readonly string[] {
  const loaded = loadNetworks('networks.yaml', text);
  return loaded.kind === 'refused' ? loaded.problems.map(formatProblem) : [];
}

describe('classification', () => {
  test.each([
    { name: 'an ASN of a list', address: '192.0.2.1', asn: 4812, network: 'ct' },
    { name: 'a prefix override whatever the ASN says', address: '198.51.100.1', asn: 9269, network: 'ct' },
    { name: 'the longest prefix override', address: '198.51.100.129', asn: 4134, network: 'hk' },
    { name: 'an override without any ASN', address: '198.51.100.129', asn: null, network: 'hk' },
    { name: 'an override of IPv6', address: '2001:db8:1::9', asn: 9269, network: 'ct' },
    { name: 'a mapped address as the IPv4 one', address: '::ffff:198.51.100.1', asn: null, network: 'ct' },
    { name: 'an override of an excluded ASN', address: '198.51.100.1', asn: 23764, network: 'ct' },
  ])('knows $name', ({ address, asn, network }) => {
    const parsed = parseAddress(address);
    expect(parsed && classify(networks(), parsed, asn)).toMatchObject({ kind: 'known', network });
  });

  test.each([
    { asn: 23764, why: 'excluded' },
    { asn: 64500, why: 'unlisted' },
    { asn: null, why: 'no-asn' },
  ])('AS $asn is unknown: $why', ({ asn, why }) => {
    expect(classify(networks(), { family: 4, value: 1n }, asn)).toEqual({ kind: 'unknown', why });
  });
});

describe('problems', () => {
  test('are all reported at once, each with line, column, path and value', () => {
    const bad = `version: 2026-11-01
networks:
  ct:
    title: China Telecom
    asns: [4134, 99999999999]
    asn: [1]
  CU: { title: x, asns: [4837] }
`;
    expect(problems(bad)).toEqual([
      expect.stringMatching(/^networks\.yaml:5:18: networks\.ct\.asns\.1: .*99999999999/),
      expect.stringMatching(/^networks\.yaml:6:5: networks\.ct\.asn: unknown key "asn"/),
      expect.stringMatching(/^networks\.yaml:7:3: networks\.CU: /),
    ]);
  });

  test.each([
    { name: 'an empty file', text: '', expected: /:1:1: the file is empty/ },
    { name: 'a broken YAML text', text: 'version: [1\nnetworks: {}', expected: /^networks\.yaml:2/ },
    {
      name: 'a duplicate key',
      text: good.replace('  cloud:', '  hk: {}\n  cloud:'),
      expected: /:13:3: .*unique/,
    },
    {
      name: 'an ASN in two networks',
      text: good.replace('37963', '4134'),
      expected: /AS4134 is already listed by ct/,
    },
    {
      name: 'an excluded ASN that is listed',
      text: good.replace('37963', '23764'),
      expected: /excluded here and listed/,
    },
    {
      name: 'host bits',
      text: good.replace('100.0/24', '100.1/24'),
      expected: /:8:16: .*"198\.51\.100\.1\/24" is not a prefix/,
    },
    {
      name: 'one prefix in two networks',
      text: good.replace('100.128/25', '100.0/24'),
      expected: /already listed by ct/,
    },
    {
      name: 'a pattern that is none',
      text: good.replace("'chinanet'", "'(chinanet'"),
      expected: /not a regular expression/,
    },
    {
      name: 'a network nobody can belong to',
      text: good.replace(', asns: [37963]', ''),
      expected: /:13:3: .*nobody can/,
    },
  ])('$name is refused', ({ text, expected }) => {
    expect(problems(text).join('\n')).toMatch(expected);
  });
});

describe('proposals', () => {
  test('offer what patterns catch, never what is listed, excluded or caught twice', () => {
    const file = good.replace('asns: [9269]', "asns: [9269]\n    organisations: ['hong kong', 'telecom hk']");
    const found = propose(networks(file), [
      { asn: 64511, organisation: 'CHINANET Somewhere' },
      { asn: 64500, organisation: 'China Telecom HK' },
      { asn: 23764, organisation: 'China Telecom Global' },
      { asn: 4134, organisation: 'Chinanet' },
      { asn: 4809, organisation: 'Sold Ltd' },
      { asn: 64501, organisation: 'Nobody' },
    ]);
    expect(found.add).toEqual([
      { asn: 64511, organisation: 'CHINANET Somewhere', network: 'ct', pattern: 'chinanet' },
    ]);
    expect(found.unclear).toEqual([{ asn: 64500, organisation: 'China Telecom HK', networks: ['ct', 'hk'] }]);
    expect(found.check).toEqual([{ asn: 4809, organisation: 'Sold Ltd', network: 'ct' }]);
    expect(found.absent.map((entry) => entry.asn)).toEqual([4812, 9269, 37963]);
  });
});

test.each([
  { asn: 4134, network: 'ct' },
  { asn: 4812, network: 'ct' },
  { asn: 17816, network: 'cu' },
  { asn: 9929, network: 'cu' },
  { asn: 56040, network: 'cm' },
  { asn: 58453, network: 'cm' },
  { asn: 4538, network: 'edu' },
  { asn: 37963, network: 'cloud' },
  { asn: 4788, network: 'tmnet' },
  { asn: 9269, network: 'hkbn' },
])('the shipped file knows AS$asn as $network', ({ asn, network }) => {
  const shipped = networks(readFileSync('networks.yaml', 'utf8'));
  expect(classify(shipped, { family: 4, value: 0n }, asn)).toMatchObject({ network });
  expect(shipped.byName.size).toBeGreaterThan(40);
});

describe('addresses', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0::1', '2001:db8::1'],
    [' 192.0.2.1:5353 ', '192.0.2.1'],
    ['[2001:db8::1]:53', '2001:db8::1'],
  ])('%s is %s', (text, canonical) => {
    const address = parseClient(text);
    expect(address && formatAddress(address)).toBe(canonical);
  });
  test.each([
    '',
    '1.2.3',
    '127.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    'fe80::1%eth0',
    '1.2.3.4.5',
    'x',
    '1.2.3.4:999999',
  ])('"%s" is no address', (text) => {
    expect(parseClient(text)).toBeUndefined();
  });
  test.each(['192.0.2.0/33', '192.0.2.1/24', '192.0.2.0', '::ffff:192.0.2.0/120', '2001:db8::/129', '/24'])(
    '"%s" is no subnet',
    (text) => {
      expect(parseSubnet(text)).toBeUndefined();
    },
  );
});
