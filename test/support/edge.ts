/** A real edge for tests: rendered from YAML text, nginx in the foreground on loopback, everything removed at the end. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { renderOrThrow, startNginx } from '../../edge/lab/nginx.ts';
import { freePorts, stop } from '../../edge/lab/process.ts';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { ask } from '../../edge/push.ts';
import type { EdgeSnapshot } from '../../src/types/wire/node-to-edge.ts';

/** One network of users a line; see test/fixtures/edge/networks.yaml. */
export const asnRows = [
  { prefix: '198.18.0.0/24', asn: 4134, organisation: 'CHINANET' },
  { prefix: '198.18.1.0/24', asn: 4837, organisation: 'CHINA UNICOM' },
  { prefix: '198.18.2.0/24', asn: 9808, organisation: 'CMNET' },
  { prefix: '198.18.3.0/24', asn: 45102, organisation: 'A cloud' },
  { prefix: '198.18.4.0/24', asn: 24444, organisation: 'CMNET IDC' },
  { prefix: '198.18.5.0/24', asn: 64500, organisation: 'Nobody' },
  { prefix: '198.18.6.0/24', asn: 56040, organisation: 'CMNET of a province' },
  { prefix: '2001:db8:1::/48', asn: 4134, organisation: 'CHINANET' },
  { prefix: '2001:db8:3::/48', asn: 9808, organisation: 'CMNET' },
];

export const users = {
  ct: '198.18.0.7',
  cu: '198.18.1.7',
  cm: '198.18.2.7',
  cloud: '198.18.3.7',
  excluded: '198.18.4.7',
  unknown: '198.18.5.7',
};

/** Waits until `check` gives something; throws with `what` after the deadline. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined> | T | undefined,
  millis = 15_000,
): Promise<T> {
  const end = Date.now() + millis;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error(`not within ${millis} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A folder of a test's own that nginx's workers can read. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'edge-test-'));
  chmodSync(made, 0o755);
  return made;
}

/** A certificate for www.example.test that signs itself: cert.pem and key.pem in a folder. */
export async function certificate(dir: string): Promise<void> {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const args = [
    'req',
    '-x509',
    ...curve,
    '-days',
    '2',
    '-subj',
    '/CN=www.example.test',
    '-addext',
    'subjectAltName=DNS:www.example.test',
  ];
  await execa('openssl', [...args, '-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')]);
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Ask {
  readonly path?: string;
  readonly host?: string;
  readonly method?: string;
  /** The client's address, told by a trusted proxy (we come from 127.0.0.1). */
  readonly client?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Our own address: 127.0.0.1 is a trusted proxy, the rest of 127/8 are strangers. */
  readonly from?: string;
}

/** One HTTP request on loopback. */
export function get(port: number, options: Ask = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path: options.path ?? '/',
        method: options.method ?? 'GET',
        localAddress: options.from ?? '127.0.0.1',
        agent: false,
        headers: {
          host: options.host ?? 'www.example.test',
          ...(options.client === undefined ? {} : { 'x-forwarded-for': options.client }),
          ...options.headers,
        },
      },
      (incoming) => {
        let body = '';
        incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** What a test may change of the standard site. */
export interface SiteChange {
  readonly [key: string]: unknown;
}

/** Changes, or how to make them from the edge's folder and port. */
export type Change = SiteChange | ((place: { readonly dir: string; readonly port: number }) => SiteChange);

export interface Edge {
  readonly dir: string;
  readonly port: number;
  readonly child: ChildProcess;
  readonly socket: string;
  readonly log: () => string;
  /** Lines of the log at error or worse, but for workers that a test killed. */
  readonly troubles: () => readonly string[];
  readonly put: (snapshot: unknown) => Promise<{ readonly status: number; readonly body: string }>;
  readonly metrics: () => Promise<string>;
  /** Value of one metric line, 0 where there is none; matches its beginning. */
  readonly metric: (start: string) => Promise<number>;
  /** Waits until a metric has a value: workers add up their counts once a second. */
  readonly counted: (start: string, value: number) => Promise<void>;
  readonly rewrite: (change: Change) => Promise<void>;
  readonly reload: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** edge.yaml of the standard site with a test's changes on top. */
export function site(dir: string, port: number, change: SiteChange = {}): string {
  return stringify({
    node: 'hk1',
    host: 'hk1.edge.test',
    networks: join(dir, 'networks.yaml'),
    geo: { asn: join(dir, 'asn.mmdb'), check: '100ms' },
    paths: { run: join(dir, 'run'), state: join(dir, 'state.json') },
    trusted: { proxies: ['127.0.0.1'], header: 'X-Forwarded-For' },
    servers: {
      www: {
        names: ['www.example.test'],
        listen: [`127.0.0.1:${port}`],
        locations: [{ path: '/', root: join(dir, 'www'), steer: true }],
      },
    },
    ...change,
  });
}

async function render(dir: string, port: number, change: Change, workers: number): Promise<void> {
  const changes = typeof change === 'function' ? change({ dir, port }) : change;
  writeFileSync(join(dir, 'edge.yaml'), site(dir, port, changes));
  const user = process.getuid?.() === 0 ? 'www-data' : null;
  await renderOrThrow(join(dir, 'edge.yaml'), { out: join(dir, 'out'), workers, user });
}

/** Starts an edge. `change` replaces top-level keys of the config; `prepare` runs before nginx starts. */
export async function startEdge(
  change: Change = {},
  options: { workers?: number; dir?: string; prepare?: (dir: string) => void } = {},
): Promise<Edge> {
  const dir = options.dir ?? folder();
  const workers = options.workers ?? 2;
  const [port = 0] = await freePorts(1);
  mkdirSync(join(dir, 'www'), { recursive: true });
  writeFileSync(join(dir, 'www/index.html'), 'served here\n');
  writeFileSync(join(dir, 'networks.yaml'), readFileSync('test/fixtures/edge/networks.yaml'));
  writeFileSync(join(dir, 'asn.mmdb'), writeAsnMmdb(asnRows, { builtSeconds: 1 }));
  let child: ChildProcess | undefined;
  const socket = join(dir, 'run/admin.sock');
  const end = async (): Promise<void> => {
    if (child) await stop(child);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    options.prepare?.(dir);
    await render(dir, port, change, workers);
    if (process.getuid?.() === 0) {
      const { stdout } = await execa('id', ['-u', 'www-data']);
      chownSync(join(dir, 'run'), Number(stdout), 0);
    }
    child = await startNginx(join(dir, 'out'));
    const started = child;
    const kill = (): void => void started.kill();
    process.once('exit', kill);
    started.once('exit', () => process.off('exit', kill));
    await until('the edge answers on its admin socket', async () => {
      const answer = await ask(socket, 'GET', '/status', '', 1000);
      return answer.kind === 'answered' && answer.status === 200 ? answer.body : undefined;
    });
    return handle(dir, port, workers, started, socket, end);
  } catch (error) {
    await end();
    throw error;
  }
}

/** What a test does with a running edge. */
function handle(
  dir: string,
  port: number,
  workers: number,
  child: ChildProcess,
  socket: string,
  end: () => Promise<void>,
): Edge {
  const log = (): string => readFileSync(join(dir, 'run/error.log'), 'utf8');
  const put = async (message: unknown): Promise<{ status: number; body: string }> => {
    const answer = await ask(
      socket,
      'PUT',
      '/state',
      typeof message === 'string' ? message : JSON.stringify(message),
      2000,
    );
    if (answer.kind === 'unreachable') throw new Error(answer.why);
    return answer;
  };
  const metrics = async (): Promise<string> => {
    const answer = await ask(socket, 'GET', '/metrics', '', 2000);
    if (answer.kind === 'unreachable') throw new Error(answer.why);
    return answer.body;
  };
  const metric = async (start: string): Promise<number> => {
    const lines = (await metrics()).split('\n').filter((line) => line.startsWith(start));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return {
    dir,
    port,
    child,
    socket,
    log,
    troubles: () =>
      log()
        .split('\n')
        .filter((line) => /\[(error|crit|alert|emerg)\]/.test(line) && !line.includes('exited on signal 9')),
    put,
    metrics,
    metric,
    counted: async (start, value) => {
      await until(
        `${start} is ${value}`,
        async () => ((await metric(start)) === value ? true : undefined),
        5000,
      );
    },
    rewrite: (next) => render(dir, port, next, workers),
    reload: async () => {
      const gone = (): number => (log().match(/worker process \d+ exited with code 0/g) ?? []).length;
      const before = gone();
      child.kill('SIGHUP');
      await until('the old workers are gone', () => (gone() >= before + workers ? true : undefined));
    },
    stop: end,
  };
}

interface NodeSpec {
  readonly accepting?: boolean;
  readonly weight?: number;
  readonly host?: string;
  /** carrier -> up; the score is 90 unless it is a number. */
  readonly carriers: Readonly<Record<string, boolean | number>>;
}

let lastSeq = 0;
/** A snapshot of hk1; each is newer than those before it. */
export function snapshot(
  nodes: Readonly<Record<string, NodeSpec>>,
  change: Partial<EdgeSnapshot> = {},
): EdgeSnapshot {
  lastSeq += 1;
  return {
    schema: 1,
    epoch: 1000,
    seq: lastSeq,
    generatedAt: '2026-11-30T01:00:00Z',
    ttlMillis: 60_000,
    self: 'hk1',
    nodesActive: Object.keys(nodes).length,
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([name, node]) => [
        name,
        {
          host: node.host ?? `${name}.edge.test`,
          accepting: node.accepting ?? true,
          weight: node.weight ?? 100,
          uplinks: Object.fromEntries(
            Object.entries(node.carriers).map(([carrier, up]) => [
              carrier,
              {
                carrier,
                score: typeof up === 'number' ? up : 90,
                families: { '4': { up: up !== false }, '6': { up: up !== false } },
              },
            ]),
          ),
        },
      ]),
    ),
    ...change,
  };
}
