/** rules.yaml: what is loaded, and every kind of mistake with its place. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadNetworks, type Networks, noNetworks } from '../../geodns/networks/load.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { formatProblem } from '../../geodns/yaml-file.ts';

const text = readFileSync('lab/geodns/rules.yaml', 'utf8');
const loadedNetworks = loadNetworks('networks.yaml', readFileSync('networks.yaml', 'utf8'));
const networks: Networks = loadedNetworks.kind === 'loaded' ? loadedNetworks.value : noNetworks;

function problems(changed: string): string {
  const loaded = loadRules('rules.yaml', changed, networks);
  return loaded.kind === 'refused' ? loaded.problems.map(formatProblem).join('\n') : 'loaded';
}

describe("the lab's rules", () => {
  const loaded = loadRules('rules.yaml', text, networks);
  const rules = loaded.kind === 'loaded' ? loaded.value : undefined;
  const cdn = rules?.policies.get('cdn');

  test('are loaded', () => {
    expect(problems(text)).toBe('loaded');
  });
  test('expand globs in the order of the targets', () => {
    expect(rules?.pools.get('hk-cmi')?.targets.map((target) => target.name)).toEqual(['hk1/cmi', 'hk2/cmi']);
  });
  test('expand regions to countries', () => {
    expect(cdn?.rules[7]?.when.countries).toEqual(['ID', 'VN', 'PH', 'MY', 'SG', 'TH']);
  });
  test('add a rule for each access network by its order of carriers, behind the written ones', () => {
    const viettel = cdn?.rules.find((rule) => rule.note === 'carriers of viettel');
    expect(viettel?.number).toBeGreaterThan(8);
    expect(viettel?.use.map((pool) => pool.name)).toEqual(['hk-cmi', 'hk-pccw']);
    expect(cdn?.rules.some((rule) => rule.when.networks.includes('cloud'))).toBe(false);
  });
  test('give full names to the zone and its labels', () => {
    expect([...(rules?.names.keys() ?? [])]).toEqual([
      'www.geo.test.',
      'img.geo.test.',
      '*.v.geo.test.',
      'geo.test.',
      'api.geo.test.',
    ]);
  });
  test('have units in their values', () => {
    expect(rules).toMatchObject({ ttlSeconds: 30, guards: { maxRemoved: 0.5, windowMillis: 30_000 } });
  });
});

test.each([
  { name: 'an empty file', from: text, to: '', expected: /1:1: the file is empty/ },
  { name: 'an unknown key', from: 'ttl: 30s', to: 'tll: 30s', expected: /6:1: tll: unknown key/ },
  { name: 'a duration without unit', from: 'ttl: 30s', to: 'ttl: 30', expected: /6:1: ttl: / },
  {
    name: 'a TTL out of bounds',
    from: 'ttl: 30s',
    to: 'ttl: 1s',
    expected: /6:1: ttl: must be from 5s to 1h/,
  },
  {
    name: 'an unknown pool',
    from: 'use: [hk-hkbn,',
    to: 'use: [hk-hkbm,',
    expected: /policies\.cdn\.rules\.4\.use\.0: no pool is called "hk-hkbm"/,
  },
  {
    name: 'an unknown network',
    from: 'networks: [cm]',
    to: 'networks: [cx]',
    expected: /networks\.yaml has no network "cx"/,
  },
  {
    name: 'an unknown region',
    from: 'regions: [sea]',
    to: 'regions: [see]',
    expected: /no region is called "see"/,
  },
  {
    name: 'an unknown policy',
    from: 'www: cdn',
    to: 'www: cdm',
    expected: /names\.www: no policy is called "cdm"/,
  },
  {
    name: 'a glob that finds nothing',
    from: '"*/cmi"',
    to: '"*/cni"',
    expected: /no target is called "\*\/cni"/,
  },
  {
    name: 'a country that is none',
    from: '[VN]',
    to: '[EU]',
    expected: /countries\.0: must be an ISO 3166 country.*"EU"/,
  },
  {
    name: 'a country in small letters',
    from: '[VN]',
    to: '[vn]',
    expected: /countries\.0: must be an ISO 3166 country/,
  },
  { name: 'a subdivision that is none', from: 'CN-GX', to: 'GX', expected: /must be an ISO 3166-2 code/ },
  {
    name: 'an address of the wrong family',
    from: '[203.0.113.51]',
    to: '["2001:db8::9"]',
    expected: /must be an IPv4 address/,
  },
  {
    name: 'an address twice',
    from: '[203.0.113.51]',
    to: '[203.0.113.11]',
    expected: /already stands at hk1\/cmi/,
  },
  {
    name: 'an IPv6 address twice in two spellings',
    from: '2001:db8:51::51',
    to: '2001:0DB8:58:0::11',
    expected: /2001:db8:58::11 already stands/,
  },
  {
    name: 'an empty default',
    from: 'default: [multi]',
    to: 'default: []',
    expected: /policies\.cdn\.default: /,
  },
  { name: 'no default', from: '    default: [multi]\n', to: '', expected: /policies\.cdn\.default: / },
  { name: 'a rule that asks nothing', from: 'continents: [EU, AF], ', to: '', expected: /asks nothing/ },
  {
    name: 'a rule behind one that takes all',
    from: 'networks: [cm], use',
    to: 'networks: [cm, ct], use',
    expected: 'loaded',
  },
  {
    name: 'a rule that never acts',
    from: '{ countries: [VN]',
    to: '{ networks: [ct], countries: [CN], use: [multi] }\n      - { countries: [VN]',
    expected: /cdn\.rules\.6: never acts: rule 4/,
  },
  {
    name: 'a subdivision behind its country',
    from: '{ continents',
    to: '{ countries: [CN], use: [multi] }\n      - { subdivisions: [CN-GD], use: [multi] }\n      - { continents',
    expected: /static\.rules\.1: never acts/,
  },
  {
    name: 'a subnet inside an earlier one',
    from: '{ continents',
    to: '{ subnets: [10.0.0.0/8], use: [multi] }\n      - { subnets: [10.1.0.0/16], use: [multi] }\n      - { continents',
    expected: /static\.rules\.1: never acts/,
  },
  {
    name: 'a pool that no policy uses',
    from: 'pools:\n',
    to: 'pools:\n  lone: { targets: [hk1/cmi] }\n',
    expected: /pools\.lone: is used by no policy/,
  },
  {
    name: 'a target in no pool',
    from: '[sg1/multi, hk1/pccw]',
    to: '[hk1/pccw]',
    expected: /targets\.sg1\/multi: is in no pool/,
  },
  {
    name: 'more healthy targets than there are',
    from: 'min_healthy: 2',
    to: 'min_healthy: 9',
    expected: /would never be used/,
  },
  {
    name: 'weights that are all zero',
    from: 'pick: weighted }\n  multi: {',
    to: 'pick: weighted }\n  multi: { pick: weighted,',
    expected: 'loaded',
  },
  {
    name: 'a pool without IPv4',
    from: 'sg1/multi: { v4: [203.0.113.51], v6',
    to: 'sg1/multi: { v6',
    expected: 'loaded',
  },
  {
    name: 'a label with a quote in it',
    from: 'www: cdn',
    to: `'w"w': cdn`,
    expected: /must be @, a name inside/,
  },
  {
    name: 'a zone that is code',
    from: 'zone: geo.test',
    to: `zone: "a'..os.exit()"`,
    expected: /zone: must be a domain name/,
  },
])('$name', ({ from, to, expected }) => {
  expect(text).toContain(from);
  const found = problems(text.replace(from, () => to));
  if (typeof expected === 'string') expect(found).toBe(expected);
  else expect(found).toMatch(expected);
});

test('all mistakes of form are told at once, in the order of the lines, and so are all of meaning', () => {
  const linesOf = (changed: string): readonly (string | undefined)[] =>
    problems(changed)
      .split('\n')
      .map((line) => line.split(':')[1]);
  expect(linesOf(text.replace('[VN]', '[EU]').replace('ttl: 30s', 'ttl: x'))).toEqual(['6', '35']);
  expect(linesOf(text.replace('www: cdn', 'www: cdm').replace('[sea]', '[see]'))).toEqual(['36', '41']);
});

test('an alias without its anchor, and aliases that stand for millions, are problems and throw nothing', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (let step = 1; step < 9; step += 1)
    bomb.push(
      `${'abcdefghi'[step]}: &${'abcdefghi'[step]} [${Array.from({ length: 10 }, () => `*${'abcdefghi'[step - 1]}`).join(', ')}]`,
    );
  for (const wrong of ['a: [1]\nb: *a\n', `${bomb.join('\n')}\n`]) {
    const loaded = loadRules('rules.yaml', wrong, noNetworks);
    expect(loaded.kind).toBe('refused');
    expect(loaded.kind === 'refused' && loaded.problems[0]?.text).toMatch(/alias/i);
  }
});
