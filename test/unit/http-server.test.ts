/** Real requests to a real server, on a port and on a Unix socket. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenControl } from '../../src/host/control-socket.ts';
import { startHttp, type HttpServer } from '../../src/http/server.ts';
import { statusDocument, type StatusDocument } from '../../src/types/wire/status.ts';
import { statusOf } from './host-node.ts';

let server: HttpServer;
let folder: string;
let path: string;
let document: StatusDocument;

const listenOn = (socketPath: string) => (accept: (socket: object) => void) =>
  listenControl({ path: socketPath, accept });
const start = (socketPath: string): Promise<HttpServer> =>
  startHttp({ host: '127.0.0.1', port: 0, listeners: [listenOn(socketPath)], status: () => document });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-http-'));
  path = join(folder, 'run', 'control.sock');
  document = statusOf();
  server = await start(path);
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function overSocket(route: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: path, path: route, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Sends bytes as they are and gives back all that comes until the server hangs up. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

test('the status document comes whole, valid and never from a cache unasked', async () => {
  const answer = await fetch(`${server.url}/v1/status`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(statusDocument.parse(await answer.json())).toEqual(document);
});

test('health is 200 while the tick runs and 503 when it is five seconds late', async () => {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  document = statusOf({ tickAgeMillis: 4999 });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  document = statusOf({ tickAgeMillis: 5000 });
  const stuck = await fetch(`${server.url}/healthz`);
  expect(stuck.status).toBe(503);
  expect(await stuck.json()).toEqual({ ok: false, node: 'hk1', mode: 'live', tickAgeMillis: 5000 });
});

test.each([
  ['GET', '/nothing', 404],
  ['POST', '/nothing', 404],
  ['POST', '/v1/status', 405],
  ['DELETE', '/healthz', 405],
  ['GET', '/%ZZ', 400],
])('%s %s is a problem with status %d', async (method, route, status) => {
  const answer = await fetch(`${server.url}${route}`, { method });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(await answer.json()).toMatchObject({ status, type: 'about:blank' });
});

test('a body larger than the limit is refused', async () => {
  const answer = await fetch(`${server.url}/v1/status`, { method: 'POST', body: 'x'.repeat(100_000) });
  expect([405, 413]).toContain(answer.status);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
});

test('a flood of headers and bytes that are not HTTP are refused and cut off', async () => {
  const flood = await raw(`GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`);
  expect(flood).toMatch(/^HTTP\/1\.1 431 /);
  const noise = await raw('\u0000\u0001 this is not a request\r\n\r\n');
  expect(noise).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(noise).toContain('application/problem+json');
});

test('a client that never ends its headers is cut off while others are served', async () => {
  const started = performance.now();
  const slow = raw('GET /healthz HTTP/1.1\r\nhost: x\r\n');
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await slow).toMatch(/^HTTP\/1\.1 408 /);
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('a fault in making the document is a 500 that tells nothing of the inside', async () => {
  const faulty = await startHttp({
    host: '127.0.0.1',
    port: 0,
    status: () => {
      throw new Error('secret inside');
    },
  });
  try {
    const answer = await fetch(`${faulty.url}/v1/status`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
  } finally {
    await faulty.close();
  }
});

test('the Unix socket gives the same document, and only owner and group may open it', async () => {
  expect((await stat(path)).mode & 0o777).toBe(0o660);
  const answer = await overSocket('/v1/status');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toEqual(document);
});

test('a second daemon is refused, and the first one keeps its socket', async () => {
  await expect(start(path)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect((await overSocket('/healthz')).status).toBe(200);
});

test('a socket that a killed daemon left behind is taken over', async () => {
  const stale = join(folder, 'stale.sock');
  const { execa } = await import('execa');
  const leave = `require('node:net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await execa(process.execPath, ['-e', leave], { reject: false });
  expect((await stat(stale)).isSocket()).toBe(true);
  const second = await start(stale);
  await second.close();
});

test('a file that is no socket is left alone', async () => {
  const file = join(folder, 'precious');
  await writeFile(file, 'x');
  await expect(start(file)).rejects.toThrow('is not a socket');
  expect((await stat(file)).size).toBe(1);
});

test('closing does not wait for clients that keep their connection open or never end their request', async () => {
  const idle = raw('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  const half = raw('GET /healthz HTTP/1.1\r\n').catch(() => 'reset');
  await fetch(`${server.url}/healthz`);
  const started = performance.now();
  await server.close();
  expect(performance.now() - started).toBeLessThan(3000);
  await Promise.all([idle, half]);
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
});
