/** Every way to be refused, over a real port: problem+json with its status and code, and no way around it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemCodes, problemDocument } from '../../src/types/wire/problem.ts';
import { ask, type HttpWorld, openHttpWorld, sendRaw, token } from '../support/http-world.ts';

let world: HttpWorld;
beforeAll(async () => {
  world = await openHttpWorld();
});
afterAll(() => world.close());

const json = { 'content-type': 'application/json' };
const bearer = { authorization: `Bearer ${token}` };
const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`x-${index}`, '1']));

interface Case {
  readonly name: string;
  readonly asked: Omit<Parameters<typeof ask>[1], 'path'> & { readonly path?: string };
  readonly status: number;
  readonly code: string;
}

const cases: readonly Case[] = [
  { name: 'an unknown path', asked: { path: '/v2/status' }, status: 404, code: 'unknown-route' },
  { name: 'an unknown uplink', asked: { path: '/v1/uplinks/nope' }, status: 404, code: 'unknown-name' },
  { name: 'an uplink that is none', asked: { path: '/v1/explain/..%2f' }, status: 404, code: 'unknown-name' },
  { name: 'another method', asked: { method: 'PUT' }, status: 405, code: 'method-not-allowed' },
  {
    name: 'POST where there is GET',
    asked: { method: 'POST', body: '{}' },
    status: 405,
    code: 'method-not-allowed',
  },
  { name: 'GET where there is POST', asked: { path: '/v1/freeze' }, status: 405, code: 'method-not-allowed' },
  {
    name: 'HEAD where there is POST',
    asked: { path: '/v1/apply', method: 'DELETE' },
    status: 405,
    code: 'method-not-allowed',
  },
  {
    name: 'an answer in HTML',
    asked: { headers: { accept: 'text/html' } },
    status: 406,
    code: 'not-acceptable',
  },
  {
    name: 'JSON with quality 0',
    asked: { headers: { accept: 'application/json;q=0, */*;q=0.5' } },
    status: 406,
    code: 'not-acceptable',
  },
  {
    name: 'metrics as JSON',
    asked: { path: '/metrics', headers: { accept: 'application/json' } },
    status: 406,
    code: 'not-acceptable',
  },
  {
    name: 'a large body',
    asked: {
      path: '/v1/freeze',
      method: 'POST',
      headers: { ...json, ...bearer },
      body: `{"reason":"${'x'.repeat(9000)}"}`,
    },
    status: 413,
    code: 'too-large',
  },
  {
    name: 'a long path',
    asked: { path: `/v1/uplinks/${'x'.repeat(3000)}` },
    status: 414,
    code: 'uri-too-long',
  },
  {
    name: 'a body of text',
    asked: {
      path: '/v1/freeze',
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...bearer },
      body: 'freeze',
    },
    status: 415,
    code: 'unsupported-media-type',
  },
  {
    name: 'a form',
    asked: {
      path: '/v1/freeze',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...bearer },
      body: 'a=b',
    },
    status: 415,
    code: 'unsupported-media-type',
  },
  {
    name: 'a foreign name',
    asked: { headers: { host: 'rebound.example:9180' } },
    status: 421,
    code: 'misdirected',
  },
  { name: 'many headers', asked: { headers: many }, status: 431, code: 'headers-too-large' },
  {
    name: 'large headers',
    asked: { headers: { x: 'y'.repeat(10_000) } },
    status: 431,
    code: 'headers-too-large',
  },
  {
    name: 'a body on GET',
    asked: { headers: { 'content-length': '5' }, body: 'hello' },
    status: 400,
    code: 'bad-request',
  },
  { name: 'an encoding that is none', asked: { path: '/%ZZ' }, status: 400, code: 'bad-request' },
  {
    name: 'a parameter twice',
    asked: { path: '/v1/history?limit=1&limit=2' },
    status: 400,
    code: 'bad-request',
  },
  {
    name: 'a parameter that is none',
    asked: { path: '/v1/history?order=asc' },
    status: 400,
    code: 'bad-request',
  },
  {
    name: 'JSON that is cut',
    asked: { path: '/v1/freeze', method: 'POST', headers: { ...json, ...bearer }, body: '{"reason":' },
    status: 400,
    code: 'bad-request',
  },
  {
    name: 'a prototype in JSON',
    asked: {
      path: '/v1/freeze',
      method: 'POST',
      headers: { ...json, ...bearer },
      body: '{"__proto__":{"a":1}}',
    },
    status: 400,
    code: 'bad-request',
  },
  {
    name: 'no token',
    asked: { path: '/v1/freeze', method: 'POST', headers: json, body: '{}' },
    status: 401,
    code: 'unauthorized',
  },
  {
    name: 'another token',
    asked: {
      path: '/v1/thaw',
      method: 'POST',
      headers: { ...json, authorization: 'Bearer correct-horse-batterz' },
      body: '{}',
    },
    status: 401,
    code: 'unauthorized',
  },
  {
    name: 'a token of another kind',
    asked: {
      path: '/v1/thaw',
      method: 'POST',
      headers: { ...json, authorization: `Basic ${token}` },
      body: '{}',
    },
    status: 401,
    code: 'unauthorized',
  },
  {
    name: 'an apply over the port',
    asked: { path: '/v1/apply', method: 'POST', headers: { ...json, ...bearer }, body: '{}' },
    status: 403,
    code: 'socket-only',
  },
  {
    name: 'an expectation',
    asked: { headers: { expect: 'miracles' } },
    status: 417,
    code: 'expectation-failed',
  },
];

test.each(cases)('$name is refused with $status $code', async ({ asked, status, code }) => {
  const answer = await ask(world.port, { path: '/v1/status', ...asked });
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(problemDocument.parse(JSON.parse(answer.body))).toMatchObject({ status, code, type: 'about:blank' });
  expect(answer.status).toBe(status);
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
});

test.each(cases.filter(({ status }) => status === 405))(
  '$name names the methods that are',
  async ({ asked }) => {
    const { headers } = await ask(world.port, { path: '/v1/status', ...asked });
    expect(headers['allow']).toMatch(/(GET, HEAD|POST), OPTIONS|OPTIONS, POST/);
  },
);

describe('who may ask', () => {
  test.each(['127.0.0.1:1', 'localhost', 'LOCALHOST:9180', '[::1]:9180', '10.0.0.5'])(
    'the name %s is ours',
    async (host) => {
      expect((await ask(world.port, { path: '/v1/status', headers: { host } })).status).toBe(200);
    },
  );

  test('over the control socket any name is', async () => {
    const { socket } = world;
    const answer = await ask(0, { socket, path: '/v1/status', headers: { host: 'rebound.example' } });
    expect(answer.status).toBe(200);
  });

  test('a port that others reach takes any name', async () => {
    const open = await openHttpWorld({ host: '0.0.0.0' });
    try {
      const answer = await ask(open.port, { path: '/healthz', headers: { host: 'hk1.example' } });
      expect(answer.status).toBe(200);
    } finally {
      await open.close();
    }
  });

  test('HTTP/1.1 without a name is refused, HTTP/1.0 is not', async () => {
    const without = await sendRaw(world.port, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n');
    expect(without).toMatch(/^HTTP\/1\.1 400 /);
    expect(without).toContain('application/problem+json');
    const old = await sendRaw(world.port, 'GET /healthz HTTP/1.0\r\n\r\n');
    expect(old).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('no Origin is answered with leave to read', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    const answer = await ask(world.port, { method: 'OPTIONS', path: '/v1/freeze', headers });
    expect(answer.status).toBe(204);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('HEAD and OPTIONS', () => {
  test('HEAD is GET without its body', async () => {
    const head = await ask(world.port, { method: 'HEAD', path: '/v1/status' });
    const get = await ask(world.port, { path: '/v1/status' });
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.body)));
  });

  test('HEAD of a stream ends', async () => {
    const head = await ask(world.port, { method: 'HEAD', path: '/v1/events' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  test.each([
    ['/v1/status', 'GET, HEAD, OPTIONS'],
    ['/v1/freeze', 'OPTIONS, POST'],
    ['/v1/uplinks/cmi', 'GET, HEAD, OPTIONS'],
    ['/v1/events', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s names %s', async (path, allow) => {
    const { status, headers, body } = await ask(world.port, { method: 'OPTIONS', path });
    expect([status, headers['allow'], body]).toEqual([204, allow, '']);
  });
});

test('each code has one status, and each refusal above a code that is known', () => {
  const known: Readonly<Record<string, { readonly status: number }>> = problemCodes;
  for (const { code, status } of cases)
    expect({ code, status: known[code]?.status }).toEqual({ code, status });
});

test('docs/errors.md lists all codes, as they are', () => {
  const file = 'docs/errors.md';
  const rows = Object.entries(problemCodes).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  );
  const table = ['| code | status | means |', '|---|---|---|', ...rows].join('\n');
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf('\n', text.indexOf('<!-- problems: ')) + 1;
  const renewed = `${text.slice(0, from)}${table}\n${text.slice(text.indexOf('<!-- end of problems -->'))}`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, renewed);
  expect(readFileSync(file, 'utf8')).toBe(renewed);
});
