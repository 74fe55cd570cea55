/** The API over HTTP on loopback: who may, what is refused, events that resume, TLS, and what it says of itself. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { execaSync } from 'execa';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeTls, readTls, watchTls } from '../../geodns/api/listener.ts';
import { problemCodes } from '../../geodns/api/problem.ts';
import type { GeoDnsAnswers, GeoDnsMap, GeoDnsSites } from '../../src/types/wire/geodns-answers.ts';
import { callerOf, type Caller, uplinkMessage } from '../support/geodns-api.ts';
import { cmToHkbnText, labNetworksText, labRulesText } from '../support/geodns.ts';
import {
  type GeoDnsWorld,
  geodnsWorld,
  type ServedWorld,
  serveWorld,
  worldTokens,
} from '../support/geodns-world.ts';

let world: GeoDnsWorld;
let served: ServedWorld;
let ops: Caller;
let reader: Caller;
let node: Caller;
let nobody: Caller;

beforeAll(async () => {
  world = await geodnsWorld();
  served = await serveWorld(world);
  ops = callerOf(served.url, worldTokens.ops);
  reader = callerOf(served.url, worldTokens.edge);
  node = callerOf(served.url, worldTokens.hk1);
  nobody = callerOf(served.url, null);
});
afterAll(async () => {
  await served.app.close();
  await world.close();
});

/** `Accept` and the like, which a Caller does not send. */
function fetchWith(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
  const authorization = `Bearer ${worldTokens.ops}`;
  return fetch(`${served.url}${path}`, { ...init, headers: { authorization, ...headers } });
}

const applied = (match: string | null, text: string): Promise<Response> =>
  fetchWith(
    '/v1/rules/apply?reason=tried',
    { 'content-type': 'application/yaml', ...(match === null ? {} : { 'if-match': match }) },
    { method: 'POST', body: text },
  );

describe('who may', () => {
  test.each(['/v1/map', '/v1/state', '/v1/sites', '/v1/rules', '/v1/revisions', '/v1/events'])(
    'reads %s: everybody with a token, and nobody else',
    async (path) => {
      expect((await reader('GET', path === '/v1/rules' ? '/v1/revisions' : path)).status).toBe(200);
      expect(await nobody('GET', path)).toMatchObject({ status: 401, body: { code: 'token-missing' } });
    },
  );

  test('validates and applies rules: operators alone', async () => {
    for (const path of ['/v1/rules/validate', '/v1/rules/apply', '/v1/revisions/1/rollback'])
      for (const call of [reader, node])
        expect([path, (await call('POST', path, labRulesText)).status]).toEqual([path, 403]);
  });
});

describe('rules', () => {
  test('are validated with their places, or with whom they would move', async () => {
    const bad = await ops(
      'POST',
      '/v1/rules/validate',
      labRulesText.replace('use: [hk-hkbn, hk-pccw]', 'use: [x]'),
    );
    expect(bad.body).toMatchObject({ ok: false, places: [{ file: 'rules.yaml', line: 33 }] });
    const good = await ops('POST', '/v1/rules/validate', cmToHkbnText);
    expect(good.body).toMatchObject({ ok: true, moved: { by: 'databases' } });
    expect((await ops('POST', '/v1/rules/validate', { not: 'yaml' })).status).toBe(415);
  });

  test('are applied from the revision that the caller saw, and brought back', async () => {
    expect((await applied(null, cmToHkbnText)).status).toBe(428);
    expect((await applied('"7"', cmToHkbnText)).status).toBe(412);
    const seen = await fetchWith('/v1/rules', {});
    expect([seen.headers.get('etag'), await seen.text()]).toEqual(['"1"', labRulesText]);
    expect((await applied('"1"', 'version: 1\n')).status).toBe(422);
    const done = await applied('"1"', cmToHkbnText);
    expect([done.status, done.headers.get('etag')]).toEqual([200, '"2"']);
    expect(await done.json()).toMatchObject({ changed: true, revision: { author: 'ops', reason: 'tried' } });
    expect((await ops('GET', '/v1/decide?name=www.geo.test&ip=120.196.1.1')).body).toMatchObject({
      pool: 'hk-hkbn',
      serial: world.zones.at(-1)?.revision,
      failOpen: false,
    });
    const preview = await ops('GET', '/v1/revisions/1?preview=1');
    expect(preview.body).toMatchObject({
      number: 1,
      texts: { networks: labNetworksText },
      preview: { ok: true },
    });
    const back = await fetchWith('/v1/revisions/1/rollback', { 'if-match': '2' }, { method: 'POST' });
    expect(await back.json()).toMatchObject({ revision: { number: 3, of: 1, reason: 'back to 1' } });
    expect((await ops('GET', '/v1/revisions')).body).toMatchObject({ current: 3 });
    expect((await ops('GET', '/v1/revisions/99')).body).toMatchObject({ code: 'unknown-revision' });
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(labRulesText);
  });
});

describe('answers', () => {
  test('of many users come in one call, and one that is no address spoils no other', async () => {
    const questions = [
      { ip: '120.196.1.1', name: 'www.geo.test' },
      { ip: 'x', name: 'www.geo.test' },
      { ip: '2409:8000::1', name: 'www.geo.test', type: 'AAAA' },
    ];
    const { body } = await reader('POST', '/v1/decide/batch', { questions });
    expect(body['decisions']).toMatchObject([
      { network: 'cm', pool: 'hk-cmi' },
      { ip: 'x', error: { code: 'bad-query' } },
      { answer: { addresses: ['2001:db8:58::11', '2001:db8:58::41'] } },
    ]);
    const tooMany = Array.from({ length: 501 }, () => questions[0]);
    expect((await reader('POST', '/v1/decide/batch', { questions: tooMany })).status).toBe(400);
  });

  test('stand in a table of access networks and places that adds up to everybody', async () => {
    const { body } = await reader('GET', '/v1/answers?policy=cdn&family=4');
    const { cells, by } = body as unknown as GeoDnsAnswers;
    expect(by).toBe('databases');
    const sum = cells.flatMap((cell) => cell.answers).reduce((total, { share }) => total + share, 0);
    expect(sum).toBeCloseTo(1, 6);
    const mobile = cells.filter(({ network }) => network === 'cm').flatMap((cell) => cell.answers);
    expect(new Set(mobile.map(({ pool }) => pool))).toEqual(new Set(['hk-cmi', 'multi']));
    expect((await reader('GET', '/v1/answers?policy=nosuch')).status).toBe(404);
  });

  test('come with the map of rules and pools', async () => {
    const map = (await reader('GET', '/v1/map')).body as unknown as GeoDnsMap;
    expect(map.policies[0]?.rules[1]).toMatchObject({
      asks: ['ct', 'CN-GD, CN-GX'],
      use: ['hk-pccw', 'hk-cmi'],
      note: 'South China Telecom',
    });
    expect(map.pools.find(({ name }) => name === 'hk-cmi')?.targets).toEqual(['hk1/cmi', 'hk2/cmi']);
  });

  test('say how far each site is behind, and since when', async () => {
    const sites = (await reader('GET', '/v1/sites')).body as unknown as GeoDnsSites;
    expect(sites.sites[0]).toMatchObject({ name: 'hkg', behind: 0, behindSeconds: 0 });
    expect(sites.sites[1]).toMatchObject({ name: 'tyo', behind: 1 });
    expect(sites.sites[1]?.behindSeconds).toBeGreaterThanOrEqual(0);
  });
});

/** Reads a stream until its text has all of these. */
async function streamUntil(headers: Record<string, string>, wanted: readonly string[]): Promise<string> {
  const ended = new AbortController();
  const response = await fetchWith(
    '/v1/events',
    { accept: 'text/event-stream', ...headers },
    { signal: ended.signal },
  );
  expect(response.status).toBe(200);
  const decoder = new TextDecoder();
  let text = '';
  const pieces = response.body?.getReader();
  if (pieces === undefined) throw new Error('no body');
  while (!wanted.every((word) => text.includes(word))) {
    const { done, value } = await pieces.read();
    if (done) throw new Error(`the stream ended after: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  ended.abort();
  return text;
}

describe('events', () => {
  test('that were missed come first to who comes back by the last id, each once', async () => {
    await node('PUT', '/v1/nodes/hk1/uplinks/cmi', uplinkMessage('down', 1, 1));
    const first = await streamUntil({ 'last-event-id': '1' }, ['v4 down']);
    // Ids begin at the time of the start, so that an id of an earlier start is told to be too old.
    expect(first).toContain('event: gap');
    const ids = [...first.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids[0]).toBeGreaterThan(1_700_000_000_000);
    await node('PUT', '/v1/nodes/hk1/uplinks/cmi', uplinkMessage('up', 1, 2));
    const second = await streamUntil({ 'last-event-id': String(ids.at(-1)) }, ['v4 up']);
    expect(second).not.toContain('v4 down');
    expect(second).not.toContain('event: gap');
    const list = await reader('GET', `/v1/events?since=${ids.at(-1)}`);
    expect(JSON.stringify(list.body)).toContain('v4 up');
  });

  test('with a last id that is none are refused', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': 'x' };
    expect((await fetchWith('/v1/events', headers)).status).toBe(400);
  });

  test('go to so many at once, and the next one is told to come back', async () => {
    const ended = new AbortController();
    const open = (): Promise<Response> =>
      fetchWith('/v1/events', { accept: 'text/event-stream' }, { signal: ended.signal });
    const many = await Promise.all(Array.from({ length: 32 }, open));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await open();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    ended.abort();
    await expect
      .poll(() => fetchWith('/metrics', { accept: '*/*' }).then((one) => one.text()), { timeout: 30_000 })
      .toContain('causeway_geodns_event_followers 0\n');
  });
});

describe('what is not a good request', () => {
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setEncoding('utf8').on('data', (piece) => (answer += piece));
      socket.on('close', () => resolve(answer)).on('error', reject);
    });

  test.each([
    { name: 'another route', path: '/v1/nosuch', status: 404, code: 'unknown-route' },
    { name: 'another method', path: '/v1/map', method: 'DELETE', status: 405, code: 'method-not-allowed' },
    { name: 'another media type', path: '/v1/map', accept: 'image/png', status: 406, code: 'not-acceptable' },
    { name: 'a long path', path: `/v1/${'x'.repeat(3000)}`, status: 414, code: 'uri-too-long' },
  ])('$name is refused as a problem', async ({ path, method = 'GET', accept = '*/*', status, code }) => {
    const answer = await fetchWith(path, { accept }, { method });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ status, code });
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('a body that is too large is refused, whoever sends it', async () => {
    const answer = await ops('POST', '/v1/rules/validate', '#'.repeat(300_000));
    expect(answer).toMatchObject({ status: 413, body: { code: 'too-large' } });
  });

  test('what is no HTTP is answered as a problem, and the connection closed', async () => {
    expect(await raw('GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*problem\+json.*bad-request/s);
    expect(await raw('GET /%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*problem\+json/s,
    );
  });

  test('headers without end are cut off', async () => {
    const many = Array.from({ length: 80 }, (_, index) => `x-${index}: 1\r\n`).join('');
    expect(await raw(`GET /healthz HTTP/1.1\r\nhost: localhost\r\n${many}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('what it says of itself', () => {
  test('is OpenAPI of every route, with summary, answers and problems that are listed', async () => {
    const document = (await nobody('GET', '/docs/json')).body as {
      paths: Record<string, Record<string, { summary?: string; responses?: Record<string, unknown> }>>;
    };
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
    );
    expect(operations.length).toBeGreaterThan(20);
    for (const { path, method, summary, responses } of operations) {
      expect([path, method, summary]).toEqual([path, method, expect.stringMatching(/\S/)]);
      expect(Object.keys(responses ?? {})).toContain('200');
    }
    const text = readFileSync('docs/geodns.md', 'utf8');
    for (const path of Object.keys(document.paths)) {
      const written = path.replaceAll(/\{(\w+)\}/g, ':$1');
      expect([written, text.includes(written)]).toEqual([written, true]);
    }
    expect(Object.keys(problemCodes).filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
  });

  test('counts requests, reports and targets for Prometheus, and each metric is documented', async () => {
    const text = await fetchWith('/metrics', { accept: 'text/plain' }).then((answer) => answer.text());
    expect(text).toMatch(/causeway_geodns_reports_total\{answer="accepted"\} \d+/);
    expect(text).toMatch(/causeway_geodns_requests_total\{method="GET",route="\/v1\/map",status="200"\} \d+/);
    expect(text).toContain('causeway_geodns_target_up{target="hk1/cmi",family="4"} 1\n');
    expect(text).toMatch(/causeway_geodns_database_built_seconds\{path="asn.mmdb"\} 1796000000\n/);
    expect(text).toContain('causeway_geodns_site_behind{site="tyo"} 1\n');
    const docs = readFileSync('docs/geodns.md', 'utf8');
    const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    expect(names.filter((name) => !docs.includes(name.replace('causeway_geodns', '')))).toEqual([]);
  });
});

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-geodns-tls-'));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  afterAll(() => rmSync(folder, { recursive: true }));

  function makePair(name: string): void {
    const out = ['-keyout', files.keyFile, '-out', files.certFile];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execaSync('openssl', ['req', ...kind, '-subj', `/CN=${name}`, '-days', '1', ...out]);
  }

  /** The name in the certificate that a new connection gets. */
  const nameAt = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.on('error', reject);
    });

  test('is spoken with the certificate of the files, and with another one when they change', async () => {
    makePair('first');
    const secure = await serveWorld(world, await readTls(files));
    const refusals: string[] = [];
    const watch = watchTls(
      files,
      (pair) => changeTls(secure.app.server, pair),
      (error) => refusals.push(String(error)),
    );
    try {
      const port = Number(new URL(secure.url).port);
      expect(await nameAt(port)).toBe('first');
      await watch.look();
      makePair('second');
      await watch.look();
      expect(await nameAt(port)).toBe('second');
      writeFileSync(files.keyFile, 'no key\n');
      utimesSync(files.keyFile, 1, 1);
      await watch.look();
      expect(await nameAt(port)).toBe('second');
      expect(refusals.join()).toContain('are no certificate with its key');
      const plain = request({ port, host: '127.0.0.1', path: '/healthz' });
      plain.end();
      await expect(new Promise((_, reject) => plain.on('error', reject))).rejects.toThrow();
    } finally {
      watch.end();
      await secure.app.close();
    }
  });
});
