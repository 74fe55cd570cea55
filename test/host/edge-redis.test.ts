/** Where leases come from: a master that Sentinel names, a Cluster, and servers that answer nonsense (case F5). No 5xx. */
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../edge/lab/process.ts';
import { folder, get, startEdge, until } from '../support/edge.ts';
import type { Edge } from '../support/edge.ts';
import { limited, page } from '../support/limited.ts';
import { startRedis, startSentinel } from '../support/redis.ts';
import type { Redis } from '../support/redis.ts';

const paths = ['a', 'b', 'c', 'd', 'e', 'f'];

async function edgeWith(redis: object, limit: object = {}): Promise<Edge> {
  const fleet = { rate: '5/s', burst: 5, key: ['route'], scope: 'fleet', ...limit };
  const limits = Object.fromEntries(paths.map((name) => [name, fleet]));
  const locations = paths.map((name) => ({ path: `/${name}/`, limits: [name] }));
  const edge = await startEdge(limited(limits, locations, { redis }), { workers: 1 });
  onTestFinished(() => edge.stop());
  return edge;
}

async function server(options: readonly string[]): Promise<Redis> {
  const redis = await startRedis(options);
  onTestFinished(() => redis.stop());
  return redis;
}

const granted = 'edge_lease_calls_total{result="granted"}';

/** Asks until a lease was granted; whatever is answered meanwhile is no 5xx. */
async function untilGranted(edge: Edge, path = 'a'): Promise<void> {
  const before = await edge.metric(granted);
  await until(
    'a lease is granted',
    async () => {
      expect([200, 429]).toContain((await get(edge.port, { path: `/${path}${page}` })).status);
      return (await edge.metric(granted)) > before || undefined;
    },
    30_000,
  );
}

test('leases come from the master that Sentinel names, and from its successor after a failover', async () => {
  const dir = folder();
  const master = await server(['--dir', dir]);
  const replica = await server(['--dir', dir, '--replicaof', '127.0.0.1', String(master.port)]);
  const sentinel = await startSentinel(dir, 'main', master.port);
  onTestFinished(() => sentinel.stop());
  const [nobody = 0] = await freePorts(1);
  const edge = await edgeWith({
    sentinel: {
      // The first one is away: the next is asked.
      addresses: [nobody, sentinel.port].map((port) => ({ host: '127.0.0.1', port })),
      master: 'main',
    },
    connect: '500ms',
    reply: '500ms',
  });
  await untilGranted(edge);
  expect(await master.command('DBSIZE')).not.toBe(':0');
  await until(
    'Sentinel knows the replica',
    async () => {
      const known = await sentinel.command('SENTINEL replicas main');
      return known.includes(String(replica.port)) || undefined;
    },
    30_000,
  );
  await until(
    'the failover begins',
    async () => (await sentinel.command('SENTINEL failover main')) === '+OK' || undefined,
    30_000,
  );
  await until(
    'the replica is the master',
    async () => {
      return (await replica.command('ROLE')).includes('master') || undefined;
    },
    60_000,
  );
  await until(
    'the edge knows',
    () => edge.log().includes(`the master of Redis is 127.0.0.1 ${replica.port}`) || undefined,
    30_000,
  );
  await untilGranted(edge, 'b');
  expect(await edge.metric('edge_bugs_total')).toBe(0);
}, 120_000);

test('Sentinels that are away, or know no such master, mean this node’s share, told once', async () => {
  const [nobody = 0] = await freePorts(1);
  const sentinel = await startSentinel(folder(), 'other', nobody);
  onTestFinished(() => sentinel.stop());
  const edge = await edgeWith({
    sentinel: { addresses: [{ host: '127.0.0.1', port: sentinel.port }], master: 'main' },
    connect: '500ms',
    reply: '500ms',
  });
  const codes: number[] = [];
  for (let i = 0; i < 7; i += 1) codes.push((await get(edge.port, { path: `/a${page}` })).status);
  expect(codes.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
  await until('it is told', () => edge.log().includes('no master is called main') || undefined, 30_000);
  expect(edge.log().match(/no master is called main/g)).toHaveLength(1);
});

test('in a Cluster each key is asked of the server that has it, and each server gets the functions', async () => {
  const ports = await freePorts(2);
  const cluster = await Promise.all(
    ports.map((bus) => {
      const dir = folder();
      return server(['--dir', dir, '--cluster-enabled', 'yes', '--cluster-port', String(bus)]);
    }),
  );
  const [one, two] = cluster;
  if (!one || !two) throw new Error('two servers were started');
  expect(await one.command('CLUSTER ADDSLOTSRANGE 0 8191')).toBe('+OK');
  expect(await two.command('CLUSTER ADDSLOTSRANGE 8192 16383')).toBe('+OK');
  expect(await one.command(`CLUSTER MEET 127.0.0.1 ${two.port} ${ports[1]}`)).toBe('+OK');
  for (const each of cluster)
    await until(
      'the cluster is whole',
      async () => {
        return (await each.command('CLUSTER INFO')).includes('cluster_state:ok') || undefined;
      },
      60_000,
    );
  const edge = await edgeWith({
    address: { host: '127.0.0.1', port: one.port },
    connect: '500ms',
    reply: '500ms',
  });
  for (const path of paths) await untilGranted(edge, path);
  for (const each of cluster) {
    expect(await each.command('DBSIZE')).not.toBe(':0');
    expect(await each.command('FUNCTION LIST')).toContain('edge_v1');
  }
}, 120_000);

/** A server that is no Redis; `answer` is called for each question. */
async function oddServer(answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const odd = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => void odd.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => odd.close(resolve));
  });
  const bound = odd.address();
  return typeof bound === 'object' && bound ? bound.port : 0;
}

const oddAnswers: readonly (readonly [answer: string, why: string])[] = [
  ['-LOADING Redis is loading the dataset in memory\r\n', 'LOADING'],
  ['-ERR max number of clients reached\r\n', 'max number of clients'],
  ['-MOVED 1 nonsense\r\n', 'MOVED 1 nonsense'],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', 'not a Redis reply'],
  ['$999999999999\r\n', 'not a Redis reply'],
  ['*3\r\n:1\r\n', 'timeout'],
  ['*1\r\n$1\r\nx\r\n', 'not a lease'],
  ['', 'timeout'],
];
const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';

test.each(isFull ? oddAnswers : oddAnswers.filter((_, number) => number % 3 === 0))(
  'a server that answers %j means this node’s share',
  async (answer, why) => {
    const port = await oddServer((socket) => void socket.write(answer));
    const edge = await edgeWith({ address: { host: '127.0.0.1', port }, reply: '100ms' }, { rate: '1/min' });
    const codes: number[] = [];
    for (let i = 0; i < 6; i += 1) codes.push((await get(edge.port, { path: `/a${page}` })).status);
    expect(codes).toEqual([200, 200, 200, 200, 200, 429]);
    expect(edge.log()).toContain(why);
    expect(edge.troubles()).toEqual([]);
  },
);

test('an answer that comes too late is never taken for the next one', async () => {
  let asked = 0;
  // The first question is answered after its time, with far more than was asked for; later ones with one token.
  const port = await oddServer((socket) => {
    asked += 1;
    if (asked === 1) setTimeout(() => socket.write('*3\r\n:1000\r\n:0\r\n:0\r\n'), 300);
    else socket.write('*3\r\n:1\r\n:0\r\n:0\r\n');
  });
  const edge = await edgeWith({ address: { host: '127.0.0.1', port }, reply: '100ms', idle: '60s' });
  for (let i = 0; i < 6; i += 1) expect((await get(edge.port, { path: `/a${page}` })).status).toBe(200);
  await until('the late answer has come', async () => {
    await get(edge.port, { path: `/a${page}` });
    return asked > 8 || undefined;
  });
  // Had it been taken, a thousand tokens would have been there and nobody asked again.
  expect(await edge.metric('edge_lease_calls_total{result="granted"}')).toBeGreaterThan(5);
});
