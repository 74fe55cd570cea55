/** One nginx with every way of limiting beside the others, and a second one for limits of the fleet. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { renderOrThrow, startNginx } from '../../edge/lab/nginx.ts';
import { freePorts, stop } from '../../edge/lab/process.ts';
import { rows } from '../../edge/lab/site.ts';
import { cpuMillis } from './cpu.ts';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { ask } from '../../edge/push.ts';
import { edgeHome } from '../../edge/render/write.ts';

/** Rates of the two regimes: nobody is refused, and nearly everybody is. */
export const rates = { accept: 900_000, overload: 1000 } as const;
export type Regime = keyof typeof rates;

export interface Bench {
  /** Port of each node's edge. */
  readonly edges: readonly number[];
  /** Port of each node's peers: /none and /limit_req-<regime> without the edge, /redis-<regime> with all of it but its limits, and two limiters alone. */
  readonly peers: readonly number[];
  /** The first node's admin socket. */
  readonly admin: string;
  readonly calls: () => Promise<number>;
  readonly redis: ChildProcess;
  /** A folder for files of the run. */
  readonly dir: string;
  /** Milliseconds of CPU that nginx and Redis have used. */
  readonly cpu: () => number;
  readonly close: () => Promise<void>;
}

/** The original listing's script (document 003), one call for each request. */
const script = `
local key, rate, capacity = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local now = redis.call('time')[1] + redis.call('time')[2] / 1000000
local bucket = redis.call('hmget', key, 'tokens', 'last')
local tokens, last = tonumber(bucket[1]), tonumber(bucket[2])
if tokens == nil then tokens = capacity last = now end
tokens, last = math.min(capacity, tokens + (now - last) * rate), now
if tokens < 1 then redis.call('hmset', key, 'tokens', tokens, 'last', last) return 0 end
redis.call('hmset', key, 'tokens', tokens - 1, 'last', last)
return 1`;

function peerConf(dir: string, port: number, redis: number, plain: string): string {
  const locations = Object.entries(rates).map(
    ([name, rate]) => `
    location = /limit_req-${name} { limit_req zone=${name} burst=100 nodelay; }
    location = /redis-${name} {
      log_by_lua_block { package.loaded["edge.account"].run(false) }
      access_by_lua_block { package.loaded["edge.access"].run("${plain}") BENCH_ASK(BENCH_REDIS, "${name}", ${rate}) }
    }
    location = /redis-alone-${name} { access_by_lua_block { BENCH_ASK(BENCH_REDIS, "${name}", ${rate}) } }
    location = /lease-alone-${name} { access_by_lua_block { BENCH_LEASE("alone-${name}", ${rate}) } }`,
  );
  const zones = Object.entries(rates).map(
    ([name, rate]) => `limit_req_zone $uri zone=${name}:1m rate=${rate}r/s;`,
  );
  return `
  ${zones.join('\n  ')}
  limit_req_status 429;
  init_worker_by_lua_block {
    require("edge.init").worker()
    BENCH_REDIS = { host = "127.0.0.1", port = ${redis}, connectMillis = 1000, replyMillis = 1000, idleMillis = 60000, pool = "bench" }
    BENCH_HASTY = { host = "127.0.0.1", port = ${redis}, connectMillis = 20, replyMillis = 20, idleMillis = 60000, pool = "hasty" }
    BENCH_SCRIPT = [[${script}]]
    local resp, lease = require("edge.resp"), require("edge.lease")
    function BENCH_ASK(redis, name, rate)
      local reply = resp.call(redis, { "EVAL", BENCH_SCRIPT, 1, "bench:" .. name, rate, 100 })
      if reply == 0 then return ngx.exit(429) end
      if not reply then return ngx.exit(500) end
    end
    local limits = {}
    function BENCH_LEASE(name, rate)
      limits[name] = limits[name] or { rate = rate, burst = rate > 1000 and 100000 or 100, T = 1e6 / rate }
      if not lease.take(name, limits[name], 1, true) then return ngx.exit(429) end
    end
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${dir}/www;
    location = /none { }
    location = /redis-hasty { access_by_lua_block { BENCH_ASK(BENCH_HASTY, "hasty", ${rates.overload}) } }
    ${locations.join('')}
  }`;
}

async function startNode(
  node: string,
  dir: string,
  ports: { edge: number; peer: number; redis: number; patience: { connect?: string; reply?: string } },
): Promise<ChildProcess> {
  const limit = (rate: number, scope: string): object => ({
    rate: `${rate}/s`,
    burst: 100,
    key: ['route'],
    scope,
  });
  const names = Object.entries(rates).flatMap(([name, rate]) => [
    [`local-${name}`, limit(rate, 'node')] as const,
    [`lease-${name}`, { ...limit(rate, 'fleet'), burst: name === 'accept' ? 100_000 : 100 }] as const,
  ]);
  const text = stringify({
    node,
    host: `${node}.edge.test`,
    networks: join(edgeHome(), 'lab/networks.yaml'),
    geo: { asn: join(dir, 'asn.mmdb') },
    paths: { run: join(dir, `${node}-run`), state: join(dir, 'none.json') },
    steering: { redirects: '1000/1min' },
    redis: { address: { host: '127.0.0.1', port: ports.redis }, ...ports.patience },
    limits: Object.fromEntries(names),
    servers: {
      www: {
        names: ['www.example.test'],
        listen: [`127.0.0.1:${ports.edge}`],
        locations: [
          ...names.map(([name]) => ({ path: `/${name}`, root: join(dir, 'www'), limits: [name] })),
          { path: '/plain', root: join(dir, 'www') },
          { path: '/steer', root: join(dir, 'www'), steer: true },
        ],
      },
    },
  });
  await writeFile(join(dir, `${node}.yaml`), text);
  const out = join(dir, `${node}-out`);
  await renderOrThrow(join(dir, `${node}.yaml`), { out, workers: 1, user: null });
  await chmod(join(dir, `${node}-run`), 0o755);
  const conf = join(out, 'edge-http.conf');
  const own = (await readFile(conf, 'utf8')).replace(/init_worker_by_lua_block.*\n/, '');
  await writeFile(conf, own + peerConf(dir, ports.peer, ports.redis, `www.${names.length}`));
  return startNginx(out);
}

/**
 * Starts two nodes of one worker each, and a Redis; `state` is told to both. `patience`: how long the nodes wait for Redis;
 * where wrk takes all of both cores, more than the default.
 */
export async function startBench(
  state: (self: string) => string,
  patience: { readonly connect?: string; readonly reply?: string } = { reply: '200ms' },
): Promise<Bench> {
  const dir = await mkdtemp(join(tmpdir(), 'causeway-edge-bench-'));
  await chmod(dir, 0o755);
  const [redis = 0, ...ports] = await freePorts(5);
  const [edge1 = 0, edge2 = 0, peer1 = 0, peer2 = 0] = ports;
  const children: ChildProcess[] = [];
  let server: ChildProcess;
  const close = async (): Promise<void> => {
    await Promise.all(children.map((child) => stop(child)));
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await mkdir(join(dir, 'www'));
    const files = [
      'none',
      'plain',
      'steer',
      'redis-hasty',
      ...Object.keys(rates).flatMap((name) =>
        ['local', 'lease', 'lease-alone', 'limit_req', 'redis', 'redis-alone'].map((way) => `${way}-${name}`),
      ),
    ];
    for (const file of files) await writeFile(join(dir, 'www', file), 'ok\n');
    // The load comes from loopback: as users of Mobile, so that each decision is a whole one.
    const users = { prefix: '127.0.0.0/8', asn: 9808, organisation: 'CMNET' };
    await writeFile(join(dir, 'asn.mmdb'), writeAsnMmdb([...rows, users]));
    server = spawn(
      'redis-server',
      ['--port', String(redis), '--bind', '127.0.0.1', '--save', '', '--dir', dir],
      {
        stdio: 'ignore',
      },
    );
    children.push(server);
    children.push(
      await startNode('hk1', dir, { edge: edge1, peer: peer1, redis, patience }),
      await startNode('hk2', dir, { edge: edge2, peer: peer2, redis, patience }),
    );
    for (const node of ['hk1', 'hk2']) await told(join(dir, `${node}-run/admin.sock`), state(node));
  } catch (error) {
    await close();
    throw error;
  }
  const calls = async (): Promise<number> => {
    const answers = await Promise.all(
      ['hk1', 'hk2'].map((node) => ask(join(dir, `${node}-run/admin.sock`), 'GET', '/metrics', '', 2000)),
    );
    const lines = answers.flatMap((answer) => (answer.kind === 'answered' ? answer.body.split('\n') : []));
    return lines
      .filter((line) => line.startsWith('edge_lease_calls_total{'))
      .reduce((total, line) => total + Number(line.split(' ')[1]), 0);
  };
  const cpu = (): number => cpuMillis(children.flatMap((child) => child.pid ?? []));
  const admin = join(dir, 'hk1-run/admin.sock');
  return { edges: [edge1, edge2], peers: [peer1, peer2], admin, calls, redis: server, dir, cpu, close };
}

async function told(socket: string, state: string): Promise<void> {
  const end = Date.now() + 15_000;
  for (;;) {
    const answer = await ask(socket, 'PUT', '/state', state, 1000);
    if (answer.kind === 'answered' && answer.status === 200) return;
    if (Date.now() > end) throw new Error(`the edge does not take its state: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
