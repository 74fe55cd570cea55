/** How words reach the edge: on a real Unix socket, one at a time, repeated, and never at the cost of anybody else. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EdgeWord } from '../../src/core/edge-feed/snapshot.ts';
import { type EdgeDelivery, openDelivery, readBootFile } from '../../src/daemon/edge-delivery.ts';
import { edgeSnapshot, type EdgeSnapshot } from '../../src/types/wire/node-to-edge.ts';
import { until } from '../support/edge.ts';

let folder: string;
let server: Server | null;
let delivery: EdgeDelivery | null;
const taken: EdgeSnapshot[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edge-delivery-'));
  server = null;
  delivery = null;
  taken.length = 0;
});
afterEach(async () => {
  await delivery?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  rmSync(folder, { recursive: true, force: true });
});

const paths = () => ({ file: join(folder, 'edge.json'), socket: join(folder, 'admin.sock') });

/** An edge that takes messages as `answer` says. */
async function listen(answer: (response: ServerResponse, message: EdgeSnapshot) => void): Promise<void> {
  const made = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const message = edgeSnapshot.parse(JSON.parse(body));
      taken.push(message);
      answer(response, message);
    });
  });
  server = made;
  await new Promise<void>((resolve) => void made.listen(paths().socket, resolve));
}

function open(lastOrder: { epoch: number; seq: number } | null = null): EdgeDelivery {
  const made = openDelivery({
    paths: paths(),
    wallMillis: () => 1000,
    monotonicMillis: () => performance.now(),
    lastOrder,
    onDelivered: () => undefined,
  });
  delivery = made;
  return made;
}

function word(accepting: boolean, more: Partial<EdgeWord> = {}): EdgeWord {
  const node = { host: 'hk1.edge.test', accepting, weight: 1, uplinks: {} };
  return { schema: 1, ttlMillis: 300, self: 'hk1', nodesActive: 1, nodes: { hk1: node }, ...more };
}

const ok = (response: ServerResponse): void => void response.end('{}');
const accepts = (): readonly (boolean | undefined)[] => taken.map(({ nodes }) => nodes['hk1']?.accepting);

test('a word is put at once, stands in the file with the same bytes, and is repeated within its ttl', async () => {
  await listen(ok);
  open({ epoch: 5000, seq: 9 }).offer(word(true));
  await until('three messages', () => (taken.length >= 3 ? true : undefined), 30_000);
  const [first, second] = taken;
  expect(first?.epoch).toBeGreaterThan(5000);
  expect([second?.epoch, second?.seq]).toEqual([first?.epoch, (first?.seq ?? 0) + 1]);
  await delivery?.close();
  expect(JSON.parse(readFileSync(paths().file, 'utf8'))).toEqual(taken.at(-1));
  expect(statSync(paths().file).mode & 0o777).toBe(0o644);
  expect((await readBootFile(paths().file))?.seq).toBe(taken.at(-1)?.seq);
});

test('while one is on its way the newest waits, and those between are never sent', async () => {
  const waiting: ServerResponse[] = [];
  await listen((response) => void waiting.push(response));
  const made = open();
  made.offer(word(true, { ttlMillis: 60_000 }));
  await until('the first is there', () => waiting[0], 30_000);
  made.offer(word(true, { ttlMillis: 60_000, nodesActive: 2 }));
  made.offer(word(true, { ttlMillis: 60_000, nodesActive: 3 }));
  made.offer(word(false, { ttlMillis: 60_000, nodesActive: 4 }));
  if (waiting[0] !== undefined) ok(waiting[0]);
  await until('the next is there', () => waiting[1], 30_000);
  if (waiting[1] !== undefined) ok(waiting[1]);
  expect(taken.map(({ nodesActive }) => nodesActive)).toEqual([1, 4]);
});

test('an edge that holds something newer is told again, above it', async () => {
  await listen((response, { epoch }) => {
    if (epoch > 9000) return ok(response);
    response.statusCode = 409;
    response.end(JSON.stringify({ epoch: 9000, seq: 7 }));
  });
  open().offer(word(true, { ttlMillis: 60_000 }));
  await until('it is taken', () => (delivery?.last()?.push.kind === 'taken' ? true : undefined), 30_000);
  expect(taken.map(({ epoch, seq }) => [epoch, seq])).toEqual([
    [1001, 1],
    [9001, 1],
  ]);
});

test('an edge that is away or hangs costs a second at most, and is told when it is back', async () => {
  const made = open();
  made.offer(word(true, { ttlMillis: 900 }));
  await until('the failure is known', () => made.last() ?? undefined, 30_000);
  expect(made.last()?.push.kind).toBe('unreachable');
  expect(made.last()?.failing?.times).toBe(1);
  let hangs = true;
  await listen((response) => {
    if (!hangs) ok(response);
  });
  await until('it hangs', () => (taken.length > 0 ? true : undefined), 30_000);
  made.offer(word(false, { ttlMillis: 900 }));
  hangs = false;
  await until('it was taken', () => (made.last()?.push.kind === 'taken' ? true : undefined), 30_000);
  expect(accepts().at(-1)).toBe(false);
  expect(made.last()?.failing).toBeNull();
});

test.each([
  ['rubbish', (response: ServerResponse) => void response.end('\u0000not JSON')],
  ['no state', (response: ServerResponse) => void response.end('{"epoch": "many"}')],
])('a 409 with %s is a refusal, not the end', async (_title, end) => {
  await listen((response) => {
    response.statusCode = 409;
    end(response);
  });
  const made = open();
  made.offer(word(true, { ttlMillis: 60_000 }));
  await until('it is refused', () => made.last() ?? undefined, 30_000);
  expect(made.last()?.push).toMatchObject({ kind: 'refused', status: 409 });
});

test('a file that cannot be written is told, and the edge is told all the same', async () => {
  await listen(ok);
  const made = openDelivery({
    paths: { ...paths(), file: join(folder, 'away/edge.json') },
    wallMillis: () => 1000,
    monotonicMillis: () => performance.now(),
    lastOrder: null,
    onDelivered: () => undefined,
  });
  delivery = made;
  made.offer(word(true, { ttlMillis: 60_000 }));
  await until('it was delivered', () => made.last() ?? undefined, 30_000);
  expect(made.last()?.push.kind).toBe('taken');
  expect(made.last()?.fileError).toContain('ENOENT');
});

test('a file that was cut short, or is no state, is no forerunner', async () => {
  writeFileSync(paths().file, '{"schema":1,"epoch":');
  expect(await readBootFile(paths().file)).toBeNull();
  writeFileSync(paths().file, '{"schema":2}');
  expect(await readBootFile(paths().file)).toBeNull();
  expect(await readBootFile(join(folder, 'none'))).toBeNull();
});
