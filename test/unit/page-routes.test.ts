/** The operator page's files and the series, over a real server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAssets } from '../../src/http/page/assets.ts';
import { pageRoutes } from '../../src/http/page/routes.ts';
import { seriesRoutes, type SeriesStart } from '../../src/http/series.ts';
import { type HttpServer, startHttp } from '../../src/http/server.ts';
import { seriesAnswer, type SeriesTrack } from '../../src/types/wire/series.ts';
import { statusOf } from './host-node.ts';

let folder: string;
let server: HttpServer;
let asked: SeriesStart[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-page-'));
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>page</title>${'<p>x</p>'.repeat(200)}`);
  writeFileSync(join(folder, 'main.js'), 'export const page = 1;\n');
  writeFileSync(join(folder, 'main.js.map'), '{}');
  writeFileSync(join(folder, 'tsconfig.json'), '{}');
  asked = [];
  server = await startPage(folder);
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function startPage(from: string): Promise<HttpServer> {
  const read = (start: SeriesStart) => {
    asked.push(start);
    return {
      head: { schema: 1 as const, stepSeconds: 1, first: 0, firstAt: '2026-11-30T03:00:00Z', next: 0 },
      tracks: ['cmi', 'pccw'].map((name) => () => trackOf(name)),
    };
  };
  return startHttp({
    host: '127.0.0.1',
    port: 0,
    status: () => statusOf(),
    routes: [pageRoutes(readAssets(from)), seriesRoutes(read)],
  });
}

const trackOf = (uplink: string): SeriesTrack => ({
  uplink,
  family: 4,
  answered: [10],
  lost: [0],
  rttP50Millis: [40],
  rttP95Millis: [null],
});

test('the page is HTML under a policy that lets nothing in from elsewhere', async () => {
  const answer = await fetch(server.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await answer.text()).toContain('<title>page</title>');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('an unchanged file is not sent again', async () => {
  const first = await fetch(`${server.url}/page/main.js`);
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await fetch(`${server.url}/page/main.js`, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  const changed = await fetch(`${server.url}/page/main.js`, { headers: { 'if-none-match': '"other"' } });
  expect(changed.status).toBe(200);
});

test('who takes gzip gets it, and who does not gets the bytes', async () => {
  const encodingFor = (accept: string): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(server.url, { headers: { 'accept-encoding': accept } }, (response) => {
        response.resume();
        resolve(response.headers['content-encoding']);
      });
      sent.on('error', reject);
      sent.end();
    });
  expect(await encodingFor('gzip, deflate, br')).toBe('gzip');
  expect(await encodingFor('identity')).toBeUndefined();
  expect(await encodingFor('gzip;q=0')).toBeUndefined();
});

test('the chart library comes from the installed package', async () => {
  const script = await fetch(`${server.url}/page/uplot.js`);
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await script.text()).toContain('uPlot');
  expect((await fetch(`${server.url}/page/uplot.css`)).status).toBe(200);
});

test('nothing else of the disk is served', async () => {
  const paths = [
    'page/main.js.map',
    'page/tsconfig.json',
    'page/..%2f..%2fpackage.json',
    'page/%00',
    'page/',
  ];
  for (const path of paths) {
    const answer = await fetch(`${server.url}/${path}`);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  }
});

test('a daemon whose page was not built serves everything else', async () => {
  const other = await startPage(join(folder, 'no-such'));
  try {
    const answer = await fetch(other.url);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('npm run build')]);
    expect((await fetch(`${other.url}/v1/status`)).status).toBe(200);
  } finally {
    await other.close();
  }
});

test('the series is asked for whole, some time back, or on from an earlier answer', async () => {
  const get = (query: string) => fetch(`${server.url}/v1/series${query}`);
  for (const query of ['', '?since=15min', '?since=1h', '?since=30s', '?since=48213'])
    expect((await get(query)).status).toBe(200);
  const { series } = seriesAnswer.parse(await (await get('')).json());
  expect(series).toEqual([trackOf('cmi'), trackOf('pccw')]);
  expect(asked).toEqual([
    { kind: 'all' },
    { kind: 'back', seconds: 900 },
    { kind: 'back', seconds: 3600 },
    { kind: 'back', seconds: 30 },
    { kind: 'second', second: 48213 },
    { kind: 'all' },
  ]);
  const refusals = ['?since=yesterday', '?since=-5', '?since=1&since=2', '?from=3', '?since=1e9'];
  for (const query of refusals) expect([query, (await get(query)).status]).toEqual([query, 400]);
});
