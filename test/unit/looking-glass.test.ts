/** What is seen beyond a neighbour, asked of a real HTTP server and of a real BIRD. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askLookingGlass } from '../../src/adapters/looking-glass.ts';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { lookBeyond } from '../../src/daemon/beyond.ts';
import type { NodeConfig, Service } from '../../src/types/config.ts';
import type { LookingGlass } from '../../src/types/looking-glass.ts';
import { type ScratchBird, startBird } from '../contract/scratch-bird.ts';
import { nodeWith } from '../support/node-config.ts';
import { problemsOf, sample } from './config-sample.ts';

/** By path: status and body. */
const pages = new Map<string, readonly [number, string]>();
const asked: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [status, body] = pages.get(request.url ?? '') ?? [404, 'no'];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
});
afterAll(() => server.close());

const path = '/route/net/203.0.113.0';
const ask = () => askLookingGlass(url, '203.0.113.0', 20_000);

describe('an HTTP looking glass', () => {
  test('says which networks it has for an address', async () => {
    pages.set(path, [
      200,
      '{"api":{},"routes":[{"network":"203.0.113.0/24","gateway":"x"},{"network":"0.0.0.0/0"}]}',
    ]);
    expect(await ask()).toEqual(['203.0.113.0/24', '0.0.0.0/0']);
    pages.set(path, [200, '{"routes":[]}']);
    expect(await ask()).toEqual([]);
  });

  test.each([
    ['nothing', 200, ''],
    ['a list that was cut', 200, '{"routes":[{"network":"203.0.113.0/24"}'],
    ['another document', 200, '{"status":"ok"}'],
    ['routes that are no list', 200, '{"routes":{}}'],
    ['a route without its network', 200, '{"routes":[{"gateway":"x"}]}'],
    ['a page for people', 200, '<html></html>'],
    ['an error with a list', 500, '{"routes":[]}'],
    ['a page that is missing', 404, '{"routes":[]}'],
    ['more than it should be', 200, `{"routes":["${'x'.repeat(5_000_000)}"]}`],
  ])('%s is no answer, and never an empty list', async (_, status, body) => {
    pages.set(path, [status, body]);
    expect(await ask()).toBeNull();
  });

  test('one that cannot be reached is no answer', async () => {
    expect(await askLookingGlass('http://127.0.0.1:1', '203.0.113.0', 20_000)).toBeNull();
  });
});

const nodeAsking = (glass: LookingGlass, services: readonly Service[]): NodeConfig => {
  const config = nodeWith(['cmi', 'pccw']);
  const uplinks = config.uplinks.map((uplink) =>
    uplink.name === 'cmi' ? { ...uplink, lookingGlass: glass } : uplink,
  );
  return { ...config, services, uplinks };
};
const serviceOf = (name: string, ...prefixes: string[]): Service => ({
  ...(nodeWith(['cmi']).services[0] as Service),
  name,
  prefixes: prefixes.map((text) => ({ family: text.includes(':') ? 6 : 4, text })),
});

describe('one round', () => {
  test('tells services apart, and leaves out uplinks of which nobody is asked', async () => {
    pages.set('/route/net/203.0.113.0', [200, '{"routes":[{"network":"203.0.113.0/24"}]}']);
    pages.set('/route/net/198.51.100.0', [200, '{"routes":[{"network":"0.0.0.0/0"}]}']);
    pages.set('/route/net/2001:db8:a::', [500, '']);
    const services = [
      serviceOf('web', '203.0.113.0/24', '2001:db8:a::/48'),
      serviceOf('dns', '203.0.113.0/24', '198.51.100.0/24'),
    ];
    expect(await lookBeyond(nodeAsking({ kind: 'http', url }, services))).toEqual(
      new Map([
        ['cmi_web4', 'seen'],
        ['cmi_web6', 'unknown'],
        ['cmi_dns4', 'not-seen'],
      ]),
    );
  });
});

describe('a BIRD that collects routes', () => {
  let bird: ScratchBird;
  beforeAll(async () => {
    bird = await startBird(
      'router id 192.0.2.1;\nprotocol device {}\nprotocol static { ipv4; route 203.0.113.0/24 blackhole; route 0.0.0.0/0 blackhole; }\n',
    );
  });
  afterAll(() => bird?.stop());

  test('is asked over its socket, and a default route is not our prefix', async () => {
    const services = [serviceOf('web', '203.0.113.0/24'), serviceOf('dns', '198.51.100.0/24')];
    const config = nodeAsking({ kind: 'socket', path: bird.socket }, services);
    expect(await lookBeyond(config)).toEqual(
      new Map([
        ['cmi_web4', 'seen'],
        ['cmi_dns4', 'not-seen'],
      ]),
    );
    const away = nodeAsking({ kind: 'socket', path: '/nonexistent/bird.ctl' }, services);
    expect([...(await lookBeyond(away)).values()]).toEqual(['unknown', 'unknown']);
  });
});

describe('in the config', () => {
  const withGlass = (text: string): string =>
    sample.replace('carrier: cmi', `carrier: cmi\n    looking_glass: ${text}`);

  test.each([
    ['https://lg.example/api/', { kind: 'http', url: 'https://lg.example/api' }],
    ['unix:/run/bird/collector.ctl', { kind: 'socket', path: '/run/bird/collector.ctl' }],
  ])('%s is read, and what explain prints loads again', (text, glass) => {
    const result = readConfig('causeway.yaml', withGlass(text));
    if (result.kind !== 'ok') throw new Error(result.problems.map((one) => one.text).join('\n'));
    expect(result.config.uplinks[0]?.lookingGlass).toEqual(glass);
    expect(readConfig('again.yaml', explainConfig(result.config))).toMatchObject({
      kind: 'ok',
      config: result.config,
    });
  });

  test.each([
    'lg.example',
    'ftp://lg.example/',
    'http://',
    'https://user:pw@lg.example/',
    'http://lg.example/?q=1',
    'unix:relative',
  ])('%s is refused', (text) => {
    expect(problemsOf(withGlass(text))).toEqual([expect.stringContaining('uplinks.cmi.looking_glass')]);
  });
});
