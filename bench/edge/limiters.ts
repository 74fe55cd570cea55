/**
 * Limiters alone on one nginx: the edge's bucket, the original's bucket of two keys (document 003, written anew), and nginx's
 * limit_req. Waves of connections at one moment, and floods on one key, with few and with many workers.
 */
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts, stop } from '../../edge/lab/process.ts';
import { edgeHome } from '../../edge/render/write.ts';

export const limiters = ['edge', 'two-keys', 'limit_req'] as const;
export type Limiter = (typeof limiters)[number];

/** Of the hot key, and of a wave's, which hardly comes back. */
export const hot = { rate: 1000, burst: 100 } as const;
export const wave = { burst: 10 } as const;

export interface Stand {
  readonly port: number;
  /** Answer of a small program in nginx (micro.lua), as JSON. */
  readonly micro: (name: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function conf(dir: string, port: number, workers: number, database: string): string {
  const root = dirname(edgeHome());
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  return `
include /etc/nginx/modules-enabled/*.conf;
worker_processes ${workers};
pid ${dir}/nginx.pid;
error_log ${dir}/error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.join(' ')}
  lua_package_path "${edgeHome()}/lua/?.lua;${root}/bench/edge/?.lua;;";
  lua_shared_dict edge 32m; lua_shared_dict theirs 32m;
  lua_shared_dict edge_count 10m; lua_shared_dict theirs_count 10m;
  lua_shared_dict edge_metrics 1m;
  init_by_lua_block { BENCH = require("micro").start("${database}") }
  limit_req_zone $arg_k zone=hot:4m rate=${hot.rate}r/s;
  limit_req_zone $arg_k zone=wave:4m rate=1r/m;
  limit_req_status 429;
  server {
    listen 127.0.0.1:${port} backlog=1024;
    root ${dir}/www;
    location = /hot/edge { access_by_lua_block { BENCH.edge(ngx.var.arg_k, ${hot.rate}, ${hot.burst}) } }
    location = /hot/two-keys { access_by_lua_block { BENCH.two_keys(ngx.var.arg_k, ${hot.rate}, ${hot.burst}) } }
    location = /hot/limit_req { limit_req zone=hot burst=${hot.burst} nodelay; }
    location = /wave/edge { access_by_lua_block { BENCH.edge("w" .. ngx.var.arg_k, 1/60, ${wave.burst}) } }
    location = /wave/two-keys { access_by_lua_block { BENCH.two_keys("w" .. ngx.var.arg_k, 1/60, ${wave.burst}) } }
    location = /wave/limit_req { limit_req zone=wave burst=${wave.burst} nodelay; }
    location /micro/ { content_by_lua_block { BENCH.micro(ngx.var.uri:match("[^/]+$")) } }
  }
}`;
}

/** Starts nginx with so many workers; `database`: an ASN database for the lookups of micro.lua. */
export async function startLimiters(workers: number, database = ''): Promise<Stand> {
  const dir = await mkdtemp(join(tmpdir(), 'causeway-edge-limiters-'));
  await chmod(dir, 0o755);
  const [port = 0] = await freePorts(1);
  for (const folder of ['hot', 'wave']) {
    await mkdir(join(dir, 'www', folder), { recursive: true });
    for (const name of limiters) await writeFile(join(dir, 'www', folder, name), 'ok\n');
  }
  await writeFile(join(dir, 'nginx.conf'), conf(dir, port, workers, database));
  const child = spawn('nginx', ['-c', join(dir, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const close = async (): Promise<void> => {
    await stop(child);
    await rm(dir, { recursive: true, force: true });
  };
  const micro = async (name: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/micro/${name}`);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`micro/${name}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  try {
    await answers(micro);
  } catch (error) {
    await close();
    throw error;
  }
  return { port, micro, close };
}

async function answers(micro: Stand['micro']): Promise<void> {
  const end = Date.now() + 15_000;
  for (;;) {
    const good = await micro('ping').then(
      () => true,
      () => false,
    );
    if (good) return;
    if (Date.now() > end) throw new Error('nginx does not answer');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How many of `connections` requests of one key, all sent at one moment, are admitted. */
export async function sendWave(port: number, path: string, connections: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connected(port)));
  const statuses = sockets.map((socket) => statusOf(socket));
  const head = `GET ${path} HTTP/1.1\r\nHost: www.example.test\r\nConnection: close\r\n\r\n`;
  for (const socket of sockets) socket.write(head);
  return (await Promise.all(statuses)).filter((status) => status === '200').length;
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
  });
}

function statusOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('close', () => resolve(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'none'));
  });
}
