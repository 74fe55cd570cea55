/** A real edge on the node: nginx in its namespace, told by the daemon, with users by X-Forwarded-For from loopback. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { loadEdge } from '../../edge/conf/load.ts';
import { describeProblem } from '../../edge/conf/problem.ts';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { ask } from '../../edge/push.ts';
import { judge, writeEdge } from '../../edge/render/write.ts';
import type { Network } from '../network/network.ts';
import { startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import type { NodeFiles } from './config.ts';

/** Where the node's edge listens, inside the node's namespace. */
export const edgePort = 8080;
export const edgeSite = 'www.example.test';

export interface EdgeOptions {
  /** Name of the node, as in its daemon's config. */
  readonly node: string;
  /** Its terminal host. */
  readonly host: string;
  /** networks.yaml as data; each network's users by their prefixes. */
  readonly networks: Readonly<
    Record<string, { readonly carriers: readonly string[]; readonly prefix: string }>
  >;
  /** Addresses of the pool `app` before the daemon has spoken of it. */
  readonly origins: readonly { readonly address: string; readonly port: number }[];
  /** Own addresses of the uplinks, where origins are to be fetched over them. */
  readonly uplinks?: Readonly<Record<string, { readonly source: readonly string[] }>>;
}

function folderOf(files: NodeFiles): string {
  return dirname(dirname(files.edge.socket));
}

/** Writes what nginx needs; throws with everything that is wrong. */
async function writeFiles(files: NodeFiles, options: EdgeOptions): Promise<string> {
  const folder = folderOf(files);
  mkdirSync(folder, { recursive: true });
  const networks = Object.entries(options.networks).map(([name, { carriers, prefix }]) => [
    name,
    { title: name, carriers, prefixes: [prefix] },
  ]);
  writeFileSync(
    join(folder, 'networks.yaml'),
    stringify({ version: 'lab-1', networks: Object.fromEntries(networks) }),
  );
  writeFileSync(
    join(folder, 'asn.mmdb'),
    writeAsnMmdb([{ prefix: '198.51.100.0/24', asn: 64500, organisation: 'Nobody' }]),
  );
  const config = join(folder, 'edge.yaml');
  writeFileSync(
    config,
    stringify({
      node: options.node,
      host: options.host,
      networks: join(folder, 'networks.yaml'),
      geo: { asn: join(folder, 'asn.mmdb') },
      paths: { run: join(folder, 'run'), state: files.edge.file },
      trusted: { proxies: ['127.0.0.1'], header: 'X-Forwarded-For' },
      steering: { redirects: '1000/1min' },
      uplinks: options.uplinks ?? {},
      origins: { app: { servers: options.origins, connect: '1s' } },
      servers: {
        www: {
          names: [edgeSite],
          listen: [`127.0.0.1:${edgePort}`],
          locations: [{ path: '/', origin: 'app', steer: true }],
        },
      },
    }),
  );
  const loaded = await loadEdge(config);
  if (loaded.kind === 'wrong') throw new Error(loaded.problems.map(describeProblem).join('\n'));
  const out = join(folder, 'out');
  await writeEdge(loaded.value, { out, workers: 1, user: 'root' });
  const verdict = await judge(join(out, 'nginx.conf'));
  if (verdict !== null) throw new Error(verdict);
  return join(out, 'nginx.conf');
}

function pidFile(files: NodeFiles): string {
  return join(folderOf(files), 'nginx-lab.pid');
}

/** Starts nginx in a namespace and waits until its admin socket answers. */
export async function startEdge(namespace: string, files: NodeFiles, options: EdgeOptions): Promise<void> {
  const conf = await writeFiles(files, options);
  await startIn({
    namespace,
    // A master that was killed leaves its socket behind.
    argv: ['sh', '-c', `rm -f ${files.edge.socket}; exec nginx -c ${conf} -g 'daemon off;'`],
    log: join(folderOf(files), 'nginx.out'),
    pidFile: pidFile(files),
  });
  await waitUntil('the edge to answer', async () => (await edgeStatus(files)) !== null);
}

/** SIGTERM ends it in order with its workers. */
export async function stopEdge(files: NodeFiles): Promise<void> {
  await stopPidFile(pidFile(files), 'SIGTERM');
}

export interface EdgeState {
  readonly epoch: number;
  readonly seq: number;
  readonly ageSeconds: number;
  readonly fresh: boolean;
}

/** What the edge says of what it was told; null: it does not answer, or was told nothing. */
export async function edgeStatus(files: NodeFiles): Promise<{ readonly state: EdgeState | null } | null> {
  const answer = await ask(files.edge.socket, 'GET', '/status', '', 2000);
  if (answer.kind !== 'answered' || answer.status !== 200) return null;
  return JSON.parse(answer.body) as { readonly state: EdgeState | null };
}

/** Value of one line of its metrics that begins so; 0: there is none. */
export async function edgeMetric(files: NodeFiles, start: string): Promise<number> {
  const answer = await ask(files.edge.socket, 'GET', '/metrics', '', 2000);
  if (answer.kind !== 'answered') return 0;
  const line = answer.body.split('\n').find((one) => one.startsWith(start));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** What a user gets: the status, where he is sent (empty: nowhere), and the body. */
export async function visit(
  network: Network,
  client: string,
  host: string = edgeSite,
): Promise<{ readonly status: number; readonly location: string; readonly body: string }> {
  const text = await network.run('node', [
    'curl',
    '-sS',
    '-m',
    '10',
    '-H',
    `Host: ${host}`,
    '-H',
    `X-Forwarded-For: ${client}`,
    '-w',
    '\n%{http_code} %header{location}',
    `http://127.0.0.1:${edgePort}/page`,
  ]);
  const lines = text.split('\n');
  const [status = '', location = ''] = (lines.pop() ?? '').split(' ');
  return { status: Number(status), location, body: lines.join('\n') };
}
