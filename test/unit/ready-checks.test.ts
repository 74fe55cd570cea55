/** Readiness checks against real servers on loopback, real files and this machine's real addresses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAddressCheck } from '../../src/host/ready/address.ts';
import { openChecks } from '../../src/host/ready/run-check.ts';
import { judgeUnit } from '../../src/host/ready/systemd.ts';
import { outcomeOfError } from '../../src/host/ready/trouble.ts';
import type { HttpProbe, ReadyProbe } from '../../src/types/ready-check.ts';

let folder = '';
const open: Server[] = [];
const run = openChecks();
const ask = (probe: ReadyProbe) => run(probe, AbortSignal.timeout(30_000));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-ready-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(folder, { recursive: true, force: true });
});

async function listen(server: Server, at: string | number = 0): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => {
    if (typeof at === 'string') server.listen(at, resolve);
    else server.listen(at, '127.0.0.1', resolve);
  });
  const address: AddressInfo | string | null = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

describe('http', () => {
  const seen: IncomingMessage[] = [];
  let port = 0;
  let reply: (response: ServerResponse) => void = (response) => response.end('all is fine\n');
  const probe = (more: Partial<HttpProbe> = {}): HttpProbe => ({
    kind: 'http',
    url: `http://127.0.0.1:${port}/healthz`,
    to: { kind: 'http', host: '127.0.0.1', port },
    path: '/healthz?full=1',
    host: null,
    expect: null,
    body: null,
    ...more,
  });
  const status =
    (code: number, headers = {}) =>
    (response: ServerResponse) =>
      response.writeHead(code, headers).end();

  beforeEach(async () => {
    seen.length = 0;
    const server = createServer((request, response) => {
      seen.push(request);
      reply(response);
    });
    port = await listen(server);
  });

  test.each([
    [200, null, 'pass'],
    [204, null, 'pass'],
    [302, null, 'pass'],
    [399, null, 'pass'],
    [400, null, 'fail'],
    [503, null, 'fail'],
    [503, 503, 'pass'],
    [200, 204, 'fail'],
  ] as const)('status %d, expected %s: %s', async (code, wanted, kind) => {
    reply = status(code, { location: 'http://192.0.2.1/' });
    expect((await ask(probe({ expect: wanted }))).kind).toBe(kind);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/healthz?full=1' });
  });

  test('a failure says the status and what was expected', async () => {
    reply = status(503);
    expect(await ask(probe())).toEqual({ kind: 'fail', text: 'status 503, expected 200 to 399' });
  });

  test('the name of a virtual host goes into the Host header', async () => {
    reply = status(200);
    await ask(probe({ host: 'www.example.com' }));
    await ask(probe());
    expect(seen.map(({ headers }) => headers.host)).toEqual(['www.example.com', `127.0.0.1:${port}`]);
  });

  test('the body must hold what it should, also across two pieces', async () => {
    reply = (response) => {
      response.write('all is fi');
      response.end('ne\n');
    };
    expect((await ask(probe({ body: 'is fine' }))).kind).toBe('pass');
    expect(await ask(probe({ body: 'is bad' }))).toEqual({ kind: 'fail', text: 'the body lacks "is bad"' });
  });

  test('an endless body is not read to its end', async () => {
    reply = (response) => {
      const more = (): void => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      response.on('error', () => undefined);
      more();
    };
    expect((await ask(probe({ body: 'fine' }))).kind).toBe('fail');
    expect((await ask(probe())).kind).toBe('pass');
  });

  test('an answer that is cut, and one that is not HTTP, are failures', async () => {
    reply = (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('all is');
      setImmediate(() => response.destroy());
    };
    expect((await ask(probe({ body: 'fine' }))).kind).toBe('fail');
    const rude = await listen(
      createTcp((socket) =>
        socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0-rude\r\n'),
      ),
    );
    expect((await ask(probe({ to: { kind: 'http', host: '127.0.0.1', port: rude } }))).kind).toBe('fail');
    expect((await ask(probe({ to: { kind: 'https', host: '127.0.0.1', port } }))).kind).toBe('fail');
  });

  test('a Unix socket answers as a port does, and one that is missing is a failure', async () => {
    const socket = join(folder, 'app.sock');
    await listen(
      createServer((_, response) => response.end('fine')),
      socket,
    );
    expect((await ask(probe({ to: { kind: 'socket', socket }, body: 'fine' }))).kind).toBe('pass');
    const missing = join(folder, 'none.sock');
    expect(await ask(probe({ to: { kind: 'socket', socket: missing } }))).toEqual({
      kind: 'fail',
      text: 'no such file or socket',
    });
  });
});

describe('tcp', () => {
  test('passes where a connection is accepted, and fails where it is refused', async () => {
    const server = createTcp((socket) => socket.on('error', () => undefined).resume());
    const port = await listen(server);
    expect(await ask({ kind: 'tcp', to: { host: '127.0.0.1', port } })).toEqual({
      kind: 'pass',
      text: 'connected',
    });
    open.length = 0;
    await new Promise((resolve) => server.close(resolve));
    expect(await ask({ kind: 'tcp', to: { host: '127.0.0.1', port } })).toEqual({
      kind: 'fail',
      text: 'connection refused',
    });
  });
});

describe('file and file_absent', () => {
  test('look whether a path is there', async () => {
    const path = join(folder, 'flag');
    expect((await ask({ kind: 'file', path })).kind).toBe('fail');
    expect((await ask({ kind: 'file_absent', path })).kind).toBe('pass');
    writeFileSync(path, '');
    expect((await ask({ kind: 'file', path })).kind).toBe('pass');
    expect((await ask({ kind: 'file_absent', path })).kind).toBe('fail');
    expect((await ask({ kind: 'file', path: join(path, 'below-a-file') })).kind).toBe('fail');
  });
});

describe('address', () => {
  test('finds loopback, and says so of an address that is nowhere', async () => {
    expect(await ask({ kind: 'address', address: '127.0.0.1', family: 4 })).toEqual({
      kind: 'pass',
      text: '127.0.0.1 is on lo',
    });
    expect(await ask({ kind: 'address', address: '203.0.113.254', family: 4 })).toEqual({
      kind: 'fail',
      text: '203.0.113.254 is on no interface',
    });
  });
  test('does not run where the addresses cannot be read', async () => {
    const check = openAddressCheck(() => Promise.reject(new Error('ip is not installed')));
    expect(await check('127.0.0.1')).toMatchObject({ kind: 'not-run' });
  });
});

describe('systemd', () => {
  test.each([
    ['LoadState=loaded\nActiveState=active\nSubState=running\n', 'pass', 'active (running)'],
    ['LoadState=loaded\nActiveState=reloading\nSubState=reload\n', 'pass', 'reloading (reload)'],
    ['LoadState=loaded\nActiveState=activating\nSubState=start-pre\n', 'fail', 'activating (start-pre)'],
    ['LoadState=loaded\nActiveState=failed\nSubState=failed\n', 'fail', 'failed (failed)'],
    ['LoadState=not-found\nActiveState=inactive\nSubState=dead\n', 'fail', 'the unit is not-found'],
    ['', 'not-run', 'systemctl printed no state'],
  ] as const)('%j: %s', (printed, kind, text) => {
    expect(judgeUnit(printed)).toEqual({ kind, text });
  });
});

test.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EACCES', 'EPERM', 'EADDRNOTAVAIL'])(
  '%s is our own fault, which counts against nobody',
  (code) => {
    expect(outcomeOfError(Object.assign(new Error('oh'), { code })).kind).toBe('not-run');
  },
);
