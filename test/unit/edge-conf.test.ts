/** edge.yaml and networks.yaml: each mistake at its place, all at once; and what is rendered from good ones. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadEdge, loadNetworks } from '../../edge/conf/load.ts';
import { describeProblem } from '../../edge/conf/problem.ts';
import { buildProgram } from '../../edge/program.ts';
import { renderHttp } from '../../edge/render/nginx.ts';
import { renderPolicy } from '../../edge/render/policy.ts';
import type { EdgeCheckOutput } from '../../src/types/wire/companion-outputs.ts';
import { expectPublished } from '../support/published-json.ts';

const dir = mkdtempSync(join(tmpdir(), 'edge-conf-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const networks = join(process.cwd(), 'test/fixtures/edge/networks.yaml');

const good = `node: hk1
host: hk1.edge.example.com
networks: ${networks}
geo: { asn: /var/lib/causeway-edge/asn.mmdb }
limits:
  each: { rate: 10/s, burst: 20, key: [client] }
origins:
  app: { servers: [{ address: 192.0.2.10, port: 8080 }] }
servers:
  www:
    names: [www.example.com]
    listen: ["0.0.0.0:80", "[::]:80"]
    locations:
      - { path: /, origin: app, steer: true, limits: [each] }
`;

async function problems(text: string): Promise<readonly string[]> {
  const file = join(dir, 'edge.yaml');
  writeFileSync(file, text);
  const loaded = await loadEdge(file);
  return loaded.kind === 'ok'
    ? []
    : loaded.problems.map((one) => describeProblem(one).replace(`${dir}/`, ''));
}

describe('edge.yaml', () => {
  test('a good file has no problems', async () => {
    expect(await problems(good)).toEqual([]);
  });

  test.each([
    ['a missing key', good.replace('node: hk1\n', ''), 'edge.yaml:1:1: node: is missing, and has no default'],
    [
      'an unknown key',
      good.replace('node: hk1', 'node: hk1\nnodes: 3'),
      'edge.yaml:2:1: nodes: this key is not known here',
    ],
    [
      'a rate without a unit',
      good.replace('10/s', '10'),
      'edge.yaml:6:11: limits.each.rate: 10: a rate is a number above 0',
    ],
    [
      'a rate of nothing',
      good.replace('10/s', '0/s'),
      'edge.yaml:6:11: limits.each.rate: "0/s": a rate is a number above 0',
    ],
    [
      'a missing limit',
      good.replace('limits: [each]', 'limits: [eech]'),
      'edge.yaml:14:55: servers.www.locations.0.limits.0: there is no limit eech; there are: each',
    ],
    [
      'a limit that nobody uses',
      good.replace('limits: [each]', 'limits: []'),
      'edge.yaml:6:3: limits.each: no location uses this limit',
    ],
    [
      'a fleet limit without Redis',
      good.replace('key: [client]', 'key: [client], scope: fleet'),
      'limits.each.scope: a limit of the fleet needs redis',
    ],
    [
      'a cost above the burst',
      good.replace('burst: 20', 'burst: 2, cost: 3'),
      'a request of cost 3 never fits a burst of 2',
    ],
    [
      'a steered terminal host',
      good.replace('www.example.com', 'hk1.edge.example.com'),
      'edge.yaml:11:13: servers.www.names.0: hk1.edge.example.com is this node',
    ],
    [
      'an origin that is this node',
      good.replace('address: 192.0.2.10, port: 8080', 'address: 0.0.0.0, port: 80'),
      'each request would come back',
    ],
    [
      'a name that ends the directive',
      good.replace('www.example.com', '"www.example.com; return 200"'),
      'a host name in lower case',
    ],
    ['a path with a variable', good.replace('path: /,', 'path: "/$uri",'), 'a path that starts with /'],
    [
      'a class of an unknown network',
      good.replace('key: [client]', 'key: [client], classes: [{ networks: [xx], rate: 1/s, burst: 1 }]'),
      'there is no network xx in networks.yaml',
    ],
    [
      'a prefix with host bits',
      good.replace('limits:\n', 'trusted: { proxies: [192.0.2.1/24], header: X-Real-IP }\nlimits:\n'),
      'edge.yaml:5:22: trusted.proxies.0: "192.0.2.1/24": an address or a prefix without host bits',
    ],
    [
      'the same key twice',
      good.replace('node: hk1', 'node: hk1\nnode: hk2'),
      'edge.yaml:2:1: Map keys must be unique',
    ],
    [
      'an address of two uplinks',
      good.replace(
        'limits:\n',
        'uplinks: { cmi: { source: [192.0.2.1] }, pccw: { source: [192.0.2.1] } }\nlimits:\n',
      ),
      "edge.yaml:5:59: uplinks.pccw.source.0: 192.0.2.1 is uplink cmi's already",
    ],
    [
      'two IPv4 addresses of one uplink',
      good.replace('limits:\n', 'uplinks: { cmi: { source: [192.0.2.1, 192.0.2.2] } }\nlimits:\n'),
      'edge.yaml:5:12: uplinks.cmi: one IPv4 and one IPv6 address at most',
    ],
    [
      'an uplink without an origin',
      good
        .replace('limits:\n', 'uplinks: { cmi: { source: [192.0.2.1] } }\nlimits:\n')
        .replace(/origins:\n.*\n/, '')
        .replace('origin: app', 'root: /srv'),
      'uplinks.cmi: there is no origin that could be fetched over it',
    ],
    [
      'a Redis that has an address and Sentinels',
      good.replace(
        'limits:\n',
        'redis: { socket: /run/r.sock, sentinel: { addresses: [{ host: 192.0.2.1, port: 1 }], master: m } }\nlimits:\n',
      ),
      'edge.yaml:5:1: redis: one of address, socket and sentinel is needed',
    ],
    [
      'a Sentinel by name',
      good.replace(
        'limits:\n',
        'redis: { sentinel: { addresses: [{ host: sentinel.test, port: 1 }], master: m } }\nlimits:\n',
      ),
      'redis.sentinel.addresses.0.host: "sentinel.test": an IPv4 or IPv6 address',
    ],
    ['nothing', '', 'edge.yaml:1:1: the file is empty'],
    ['text cut short', good.slice(0, good.indexOf('[client]') + 4), 'edge.yaml:6:'],
  ])('%s is named with its place', async (_, text, expected) => {
    expect((await problems(text)).join('\n')).toContain(expected);
  });

  test('two servers cannot both steer, since one name is where redirected users arrive', async () => {
    const second = good
      .slice(good.indexOf('  www:'))
      .replace('www:', 'api:')
      .replace('www.example.com', 'api.example.com');
    expect((await problems(good + second)).join('\n')).toContain('servers.api: server www steers already');
  });

  test('all mistakes are reported at once', async () => {
    const text = good
      .replace('10/s', '10/day')
      .replace('burst: 20', 'burst: 0')
      .replace('port: 8080', 'port: 80800');
    expect(await problems(text)).toHaveLength(3);
  });

  test('an alias without its anchor is a problem like any other', async () => {
    expect((await problems(`${good}extra: *nothing\n`)).join('\n')).toMatch(/^edge\.yaml:\d+:\d+: .*alias/i);
  });

  test('a file that cannot be read says so', async () => {
    const loaded = await loadEdge(join(dir, 'none.yaml'));
    expect(loaded.kind === 'wrong' && loaded.problems.map(describeProblem)).toEqual([
      expect.stringContaining('none.yaml: cannot be read: ENOENT'),
    ]);
  });
});

describe('networks.yaml', () => {
  const source = readFileSync(networks, 'utf8');
  test.each([
    [
      'an ASN in two networks',
      source.replace('[4134, 4809]', '[4134, 4837]'),
      'networks.yaml:5:60: networks.cu.asns.0: AS4837 is in ct already',
    ],
    [
      'an ASN that is listed and excluded',
      source.replace('[24444]', '[9929]'),
      'networks.cm.exclude.0: AS9929 is excluded here and listed in cu',
    ],
    [
      'a prefix with host bits',
      source.replace('203.0.113.0/24', '203.0.113.1/24'),
      '"203.0.113.1/24" is not a prefix without host bits',
    ],
    [
      'an IPv4 prefix written as IPv6',
      source.replace('203.0.113.0/24', '"::ffff:203.0.113.0/120"'),
      'is not a prefix without host bits',
    ],
    [
      'one prefix twice in two spellings',
      `${source}  zz: { title: Z, prefixes: ["2001:DB8:c0:0::/44"] }\n`,
      '2001:DB8:c0:0::/44 is in cm already',
    ],
  ])('%s is refused at its place', async (_, text, expected) => {
    const file = join(dir, 'networks.yaml');
    writeFileSync(file, text);
    const loaded = await loadNetworks(file);
    expect(loaded.kind === 'wrong' ? loaded.problems.map(describeProblem).join('\n') : 'accepted').toContain(
      expected,
    );
  });
});

describe('rendering', () => {
  test('the same config gives the same bytes, and every location passes the access phase', async () => {
    writeFileSync(join(dir, 'edge.yaml'), good);
    const loaded = await loadEdge(join(dir, 'edge.yaml'));
    if (loaded.kind === 'wrong') throw new Error('fixture');
    const places = { out: '/etc/causeway-edge', lua: '/usr/share/causeway/edge/lua' };
    const text = renderHttp(loaded.value.config, places);
    expect(renderHttp(loaded.value.config, places)).toBe(text);
    expect(text.match(/access_by_lua_block/g)).toHaveLength(1);
    expect(text).toContain('server_name www.example.com hk1.edge.example.com;');
    expect(renderPolicy(loaded.value.config)).toMatchObject({
      loopId: 'hk1.causeway',
      limits: { each: { rate: 10, burst: 20, wide: false } },
    });
  });
});

describe('the commands', () => {
  interface Ran {
    readonly said: string;
    readonly complaints: string;
    readonly code: number;
  }

  async function run(...words: readonly string[]): Promise<Ran> {
    const ran = { said: '', complaints: '', code: 0 };
    const program = buildProgram({
      say: (text) => void (ran.said += text),
      complain: (text) => void (ran.complaints += text),
      end: (code) => void (ran.code = code),
    });
    await program.parseAsync([...words], { from: 'user' });
    return ran;
  }

  test('say as JSON what they say to people', async () => {
    const file = join(dir, 'said.yaml');
    writeFileSync(file, good.replace('node: hk1\n', ''));
    const people = await run('check', '-c', file);
    expect(people).toMatchObject({ said: '', code: 1 });
    const { said, complaints, code } = await run('check', '-c', file, '--json');
    expect([complaints, code]).toEqual(['', 1]);
    const found = expectPublished('edge-check', said) as EdgeCheckOutput;
    expect(found).toMatchObject({ config: file, networks: null });
    expect(found.problems.map(describeProblem).join('')).toBe(people.complaints);
    writeFileSync(file, good);
    expect(expectPublished('edge-check', (await run('check', '-c', file, '--json')).said)).toEqual({
      config: file,
      networks: expect.any(String),
      problems: [],
    });
  });

  test('render with a bad file nothing, and say so as JSON', async () => {
    const out = join(dir, 'out');
    const { said, code } = await run('render', '-c', join(dir, 'none.yaml'), '-o', out, '--json');
    expect(code).toBe(2);
    expect(expectPublished('edge-render', said)).toMatchObject({
      out,
      problems: [{ line: null }],
      refusal: null,
    });
    expect(existsSync(out)).toBe(false);
  });
});
