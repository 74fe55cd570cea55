/** `GET /v1/events`: what was missed, what happens, and clients that do not keep up. */
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask, event, type HttpWorld, openHttpWorld } from '../support/http-world.ts';

let world: HttpWorld;
const sockets: Socket[] = [];
beforeEach(async () => {
  world = await openHttpWorld();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await world.close();
});

interface Follower {
  readonly socket: Socket;
  /** All that came. */
  text(): string;
  ids(): readonly number[];
}

/** A client that follows, by hand: fetch would read ahead. */
function follow(headers: Readonly<Record<string, string>> = {}, port = world.port): Follower {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`GET /v1/events HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`),
  );
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  return {
    socket,
    text: () => text,
    ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
  };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 20 });
const tell = (count: number, text = 'x'): void => {
  for (let index = 0; index < count; index += 1) world.history.tell(event(`${text} ${index}`));
};

/** Until the disk has them too: memory alone holds the last 2000. */
const kept = (count: number) =>
  vi.waitFor(async () => expect(await world.history.read({ limit: 10_000 })).toHaveLength(count), {
    timeout: 60_000,
    interval: 100,
  });

test('a client that comes back gets all that it missed, in order, and then what happens', async () => {
  const first = follow();
  await until(() => expect(world.history.followers()).toBe(1));
  tell(3);
  await until(() => expect(first.ids()).toHaveLength(3));
  first.socket.destroy();
  tell(2500, 'missed');
  await kept(2503);
  const [, second = 0] = first.ids();
  const again = follow({ 'last-event-id': String(second) });
  await until(() => expect(again.ids().length).toBeGreaterThan(0));
  tell(10, 'meanwhile');
  await until(() => expect(again.ids()).toHaveLength(1 + 2500 + 10));
  expect(again.ids()).toEqual(Array.from({ length: 2511 }, (_, index) => second + 1 + index));
  expect(again.text()).not.toContain('event: gap');
});

test('what happens while the missed is read comes once, behind it', async () => {
  tell(600);
  const [first] = await world.history.read({ limit: 600 });
  const oldest = first?.id ?? 0;
  const client = follow({ 'last-event-id': String(oldest) });
  const telling = setInterval(() => tell(7), 1);
  try {
    await until(() => expect(client.ids().length).toBeGreaterThan(900));
  } finally {
    clearInterval(telling);
  }
  const ids = client.ids();
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => oldest + 1 + index));
});

test('a client that was away for more than is kept is told of the gap', async () => {
  const small = await openHttpWorld({ mostMissed: 100 });
  try {
    for (let index = 0; index < 150; index += 1) small.history.tell(event(`x ${index}`));
    const client = follow({ 'last-event-id': '1' }, small.port);
    await until(() => expect(client.ids()).toHaveLength(100));
    const [, data = ''] = /event: gap\ndata: (.*)\n/.exec(client.text()) ?? [];
    expect(JSON.parse(data)).toEqual({ afterId: 1, firstId: client.ids()[0] });
    expect(client.text().indexOf('event: gap')).toBeLessThan(client.text().indexOf('id: '));
  } finally {
    await small.close();
  }
});

test('a client that does not read is cut off, and what it held is free again', async () => {
  const slow = follow();
  await until(() => expect(world.history.followers()).toBe(1));
  slow.socket.pause();
  const telling = setInterval(() => tell(200, 'y'.repeat(1500)), 5);
  try {
    await until(() => expect(world.history.followers()).toBe(0));
  } finally {
    clearInterval(telling);
  }
  expect((await ask(world.port, { path: '/healthz' })).status).toBe(200);
});

test('there is room for 32, and for another one when one has gone', async () => {
  const clients = Array.from({ length: 32 }, () => follow());
  await until(() => expect(world.history.followers()).toBe(32));
  const refused = await ask(world.port, { path: '/v1/events' });
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'busy' });
  clients[7]?.socket.destroy();
  await until(() => expect(world.history.followers()).toBe(31));
  follow();
  await until(() => expect(world.history.followers()).toBe(32));
  const { body } = await ask(world.port, { path: '/metrics' });
  expect(body).toContain('\ncauseway_event_clients 32\n');
});

test.each(['x', '-1', '1.5', '99999999999999999'])('the Last-Event-ID %s is refused', async (id) => {
  const answer = await ask(world.port, { path: '/v1/events', headers: { 'last-event-id': id } });
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'bad-request']);
});

test('a stream behind another answer on its connection is refused, and holds nothing', async () => {
  const one = 'GET /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const socket = connect(world.port, '127.0.0.1', () => socket.write(one.repeat(40)));
  sockets.push(socket);
  await until(() => expect(world.history.followers()).toBe(1));
  expect((await ask(world.port, { path: '/healthz' })).status).toBe(200);
  expect(world.history.followers()).toBe(1);
  socket.destroy();
  await until(() => expect(world.history.followers()).toBe(0));
});
