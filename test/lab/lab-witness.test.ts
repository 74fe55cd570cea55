import { describe, expect, test } from 'vitest';
import { readRoutes, readSession } from '../../lab/carrier/replies.ts';
import { readWireLine, type WireEvent } from '../../lab/carrier/wire-log.ts';
import { catalogueText, faultAsked } from '../../lab/faults/catalogue.ts';
import { labId, labOfNamespace, namespaceOf } from '../../lab/network/names.ts';
import { regionPrefixes, regions, targets } from '../../lab/network/addresses.ts';
import { wireWords } from '../../lab/scenarios/timeline.ts';

describe('what the carriers’ BIRD says', () => {
  const route2 = [
    'Table master4:',
    '203.0.113.0/24       unicast [node4 2026-11-30 02:45:24.776] * (100) [AS65001i]',
    '\tvia 198.18.1.2 on node',
    '\tType: BGP univ',
    '\tBGP.origin: IGP',
    '\tBGP.as_path: 65001 65001 65001 65001',
    '\tBGP.med: 65000',
    '\tBGP.community: (65535,0) (1,2)',
  ];

  test.each([
    ['2.x', route2],
    ['3.x', route2.map((line) => line.replace('BGP.as_path', 'bgp_path').replace('BGP.', 'bgp_'))],
  ])('a route in the words of %s', (_version, lines) => {
    expect(readRoutes(lines)).toEqual([
      {
        prefix: '203.0.113.0/24',
        med: 65000,
        path: [65001, 65001, 65001, 65001],
        communities: ['65535:0', '1:2'],
      },
    ]);
  });

  test('a second copy of a prefix, which BIRD prints without it, is a route of its own', () => {
    const copy = '                     unicast [other 2026-11-30 02:45:24.776] (100) [AS1i]';
    expect(readRoutes([...route2, copy, '\tBGP.med: 7']).map(({ prefix, med }) => [prefix, med])).toEqual([
      ['203.0.113.0/24', 65000],
      ['203.0.113.0/24', 7],
    ]);
  });

  test('a session without counters is down, and a reply without a session is an error', () => {
    const row = 'node4      BGP        ---        start  2026-11-30 02:45:24.745  Active';
    expect(readSession([row])).toEqual({
      established: false,
      since: '2026-11-30 02:45:24.745',
      updates: 0,
      withdraws: 0,
    });
    expect(() => readSession(['Name Proto Table State Since Info'])).toThrow('no BGP session');
  });
});

describe('the wire log', () => {
  const stamp = '2026-11-30 02:45:24.776';
  const heardLine = `${stamp} <INFO> HEARD 203.0.113.0/24 med 65000 path (path 65001 65001) communities (clist (65535,0))`;
  const event = (line: string): WireEvent => {
    const read = readWireLine('cmi', line);
    if (read === null) throw new Error(`not read: ${line}`);
    return read;
  };

  test('reads what was heard, withdrawn and what became of the session', () => {
    expect(event(heardLine)).toMatchObject({
      kind: 'announced',
      family: 4,
      med: 65000,
      path: [65001, 65001],
    });
    expect(
      event(`${stamp} <INFO> HEARD 2001:db8:a::/48 med (void) path (path 65001) communities (void)`),
    ).toMatchObject({ kind: 'announced', family: 6, med: null, communities: [] });
    expect(event(`${stamp} <TRACE> node4.ipv4 > removed 203.0.113.0/24 0L 6G unicast`)).toMatchObject({
      kind: 'withdrawn',
      prefix: '203.0.113.0/24',
    });
    expect(event(`${stamp} <TRACE> node6: State changed to stop`)).toMatchObject({
      kind: 'session',
      up: false,
    });
    expect(readWireLine('cmi', `${stamp} <TRACE> node4.ipv4 < added 0.0.0.0/0 0L 2G blackhole`)).toBeNull();
    expect(readWireLine('cmi', 'bird: something else')).toBeNull();
  });

  test('a route with GRACEFUL_SHUTDOWN is a drain, one without is an announcement', () => {
    const plain = event(heardLine.replace('(65535,0)', ''));
    expect(wireWords([event(heardLine), plain], 'cmi', 4)).toEqual(['drain', 'announce']);
    expect(wireWords([event(heardLine), plain], 'cmi', 6)).toEqual([]);
  });
});

describe('names and addresses', () => {
  test('a namespace tells its lab, and foreign ones belong to nobody', () => {
    expect(labOfNamespace(namespaceOf('t1', 'net'))).toBe('t1');
    for (const foreign of ['cw-node', 'cwt1-other', 'xcwt1-node', 'cwprobe1'])
      expect(labOfNamespace(foreign)).toBeNull();
    for (const bad of ['', 'A', 'a-b', 'x'.repeat(11), '../x']) expect(() => labId(bad)).toThrow(RangeError);
  });

  test('each region has two targets or more in different prefixes, and none is in the service’s own', () => {
    for (const region of regions) {
      const own = targets.filter((target) => target.region === region);
      expect(own.length).toBeGreaterThanOrEqual(2);
      expect(new Set(own.map(({ address }) => address[4].split('.').slice(0, 3).join('.'))).size).toBe(
        own.length,
      );
      expect(regionPrefixes(region, 4)).toHaveLength(2);
    }
    expect(targets.filter(({ address }) => address[4].startsWith('203.0.113.'))).toEqual([]);
    expect(targets.filter(({ address }) => address[6].startsWith('2001:db8:a:'))).toEqual([]);
  });
});

describe('the catalogue of `break`', () => {
  const asked = (text: string) => {
    const [subject = '', what = '', ...numbers] = text.split(' ');
    return { subject, what, numbers };
  };

  test.each([
    ['cmi blackhole', 'black hole behind cmi'],
    ['pccw loss 20', '20 % loss behind pccw'],
    ['hkbn bursts 5 100', 'bursts of 5 in 100 packets lost behind hkbn'],
    ['cmi delay 200 10', '+200 ± 10 ms behind cmi'],
    ['cmi path', 'path 0 of cmi dead'],
    ['cmi link', "link of cmi down at the carrier's end"],
    ['node configure', 'birdc configure'],
  ])('`%s` is: %s', (text, title) => {
    expect(faultAsked(asked(text)).title).toBe(title);
  });

  test.each([
    'telia blackhole',
    'cmi fire',
    'pccw loss',
    'pccw loss 101',
    'pccw loss x',
    'node fire',
    'target x',
  ])('`%s` is refused with what is allowed', (text) => {
    expect(() => faultAsked(asked(text))).toThrow(RangeError);
  });

  test('a region, direction or family that does not exist is refused', () => {
    const base = asked('cmi blackhole');
    expect(() => faultAsked({ ...base, region: 'XX' })).toThrow(RangeError);
    expect(() => faultAsked({ ...base, direction: 'up' })).toThrow(RangeError);
    expect(() => faultAsked({ ...base, family: '5' })).toThrow(RangeError);
    expect(faultAsked({ ...base, region: 'ID', direction: 'out', family: '6' }).title).toBe(
      'black hole behind cmi in ID, out only, IPv6 only',
    );
    expect(catalogueText).toContain('--region ID|PH|MY|VN|SG');
  });
});
