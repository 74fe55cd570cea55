/** What the parsers of routes and counts read from replies of five versions. */
import { describe, expect, test } from 'vitest';
import { parseRouteCount } from '../../bird/parse/route-count.ts';
import { parseRoutes, type RouteSeen } from '../../bird/parse/routes.ts';
import { replyOf } from './framing.ts';
import { readTranscript, replyBytes, versions } from './transcript.ts';

function routesOf(bytes: Buffer | string): readonly RouteSeen[] {
  const read = parseRoutes(replyOf(bytes));
  if (read === null) throw new Error('no reply to show route');
  expect(read.unread).toEqual([]);
  return read.routes;
}

const only = (routes: readonly RouteSeen[], prefix: string): readonly RouteSeen[] =>
  routes.filter((route) => route.prefix === prefix);

describe.each(versions)('BIRD %s', (version) => {
  const asked = (command: string): Buffer => replyBytes(version, '04', command);

  test('every route of two tables is read, with its table, its kind and the best one marked', () => {
    const routes = routesOf(asked('show route'));
    expect(routes.length).toBe(21);
    expect(routes.filter(({ table }) => table === 'master6').length).toBe(9);
    const defaults = only(routes, '0.0.0.0/0');
    expect(defaults.map(({ protocol }) => protocol).sort()).toEqual(['cmi4', 'hkbn4', 'pccw4']);
    expect(defaults.map(({ primary }) => primary)).toEqual([true, false, false]);
    expect(defaults[0]).toMatchObject({
      kind: 'unicast',
      preference: 100,
      nextHops: ['via 198.51.100.1 on cmi'],
    });
    expect(only(routes, '192.0.2.0/24')).toMatchObject([
      { kind: 'blackhole', protocol: 'anycast4', nextHops: [] },
    ]);
  });

  test('what a session exports is its prefixes with the MED that is sent', () => {
    const routes = routesOf(asked('show route export cmi4 all'));
    expect(routes.map(({ prefix, kind, med, protocol }) => ({ prefix, kind, med, protocol }))).toEqual([
      { prefix: '192.0.2.0/24', kind: 'unreachable', med: 100, protocol: 'announce_cmi4' },
      { prefix: '203.0.113.0/24', kind: 'unreachable', med: 100, protocol: 'announce_cmi4' },
    ]);
    expect(routesOf(asked('show route 192.0.2.0/24 export cmi4')).length).toBe(1);
    expect(routesOf(asked('show route 192.0.2.0/24 noexport cmi4'))).toEqual([]);
  });

  test('attributes of learnt routes are read, whatever the version calls them', () => {
    const [first] = only(routesOf(asked('show route protocol cmi4 all')), '1.1.1.0/24');
    expect(first).toMatchObject({ path: [58453, 13335], localPref: 300, med: null, communities: [] });
  });

  test('a table says how many routes it holds, and the sum has to be that of the rows', () => {
    const all = parseRouteCount(replyOf(asked('show route table all count')));
    expect(all?.find(({ table }) => table === 't_cmi4')).toEqual({
      table: 't_cmi4',
      matching: 5,
      routes: 5,
      networks: 5,
    });
    expect(parseRouteCount(replyOf(asked('show route export cmi4 count')))).toEqual([
      { table: 't_cmi4', matching: 2, routes: 5, networks: 5 },
    ]);
    const lost = asked('show route table all count').toString().split('\n').toSpliced(2, 1).join('\n');
    expect(parseRouteCount(replyOf(lost))).toBeNull();
    const garbled = asked('show route export cmi4 count')
      .toString()
      .replace('0000 \n', ' many routes\n0000 \n');
    expect(parseRouteCount(replyOf(garbled))).toBeNull();
  });

  test('other replies are neither routes nor counts', () => {
    for (const [file, command] of [
      ['01', 'show status'],
      ['03', 'show protocols all'],
      ['04', 'show route 9.9.9.0/24'],
      ['04', 'show route table nosuch'],
      ['04', 'show static'],
    ] as const) {
      const reply = replyOf(replyBytes(version, file, command));
      expect(parseRoutes(reply)).toBeNull();
      expect(parseRouteCount(reply)).toBeNull();
    }
  });

  test('no line of any recorded `show route` is left unread', () => {
    const name = '04-show-route.txt';
    const asks = readTranscript(version, name).filter(({ command }) =>
      /^show route(?!.*(count|stats))/.test(command ?? ''),
    );
    const read = asks.map(({ bytes }) => parseRoutes(replyOf(bytes))).filter((one) => one !== null);
    expect(read.length).toBeGreaterThan(12);
    expect(read.flatMap(({ unread }) => unread)).toEqual([]);
  });
});

describe('forms of a row', () => {
  const reply = (...lines: string[]): string =>
    `1007-Table t:\n${lines.map((line) => `${line}\n`).join('')}0000 \n`;
  const head = ' 203.0.113.0/24       ';

  test.each([
    ['a bare time', 'unicast [a 01:10:06.965] * (100) [AS58453i]', { protocol: 'a', primary: true }],
    ['a date alone', 'unicast [a 2026-03-04] (100/20) [i]', { primary: false, preference: 100 }],
    ['where it came from', 'unreachable [a-b.4 1795997564 from 192.0.2.9] * (100)', { protocol: 'a-b.4' }],
    [
      'a route that did not reach the kernel',
      'prohibited [a 01:10] ! (200)',
      { kind: 'prohibited', primary: false },
    ],
    [
      'a word for its kind that is not known',
      'sinkhole [a 01:10] * (200)',
      { kind: 'unknown', primary: true },
    ],
  ])('%s', (_, text, expected) => {
    expect(routesOf(reply(`${head}${text}`))).toMatchObject([{ prefix: '203.0.113.0/24', ...expected }]);
  });

  test('a row of no known form is kept as it is, and no route comes of it', () => {
    const read = parseRoutes(replyOf(reply(`${head}unicast {a} *`, ' \t??? what')));
    expect(read).toEqual({ routes: [], unread: ['203.0.113.0/24       unicast {a} *', '\t??? what'] });
  });

  test('communities of both kinds are read as they are written elsewhere', () => {
    const text = reply(
      `${head}unicast [a 01:10] * (100)`,
      '1012-\tBGP.as_path: 64500 {64501 64502}',
      ' \tBGP.community: (65535,0) (64500,100)',
      ' \tBGP.large_community: (64500, 1, 2)',
    );
    expect(routesOf(text)).toMatchObject([
      { path: [64500, 64501, 64502], communities: ['65535:0', '64500:100', '64500:1:2'] },
    ]);
  });
});
