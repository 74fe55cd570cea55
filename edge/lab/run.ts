/** Starts and ends the lab: an origin, a Redis and one nginx for each node, all on loopback; nothing stays behind. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAsnMmdb } from '../mmdb-writer.ts';
import { ask, pushSnapshot } from '../push.ts';
import { edgeHome } from '../render/write.ts';
import { renderOrThrow, startNginx } from './nginx.ts';
import { freePorts, stop } from './process.ts';
import { allUp, nodes, rows, siteConfig, snapshotFor } from './site.ts';
import type { NodeName, Ports, Ups } from './site.ts';

export interface Lab {
  readonly dir: string;
  readonly ports: Ports;
  /** Tells both nodes; throws when one does not take it. */
  readonly tell: (ups: Ups) => Promise<void>;
  readonly socket: (node: NodeName) => string;
  readonly close: () => Promise<void>;
}

/** Starts everything; `waitMillis` is the deadline for each program to answer. */
export async function startLab(waitMillis = 15_000): Promise<Lab> {
  const dir = await mkdtemp(join(tmpdir(), 'causeway-edge-lab-'));
  await chmod(dir, 0o755);
  const [hk1 = 0, hk2 = 0, origin = 0, redis = 0] = await freePorts(4);
  const ports = { hk1, hk2, origin, redis };
  const children: ChildProcess[] = [];
  const server = createHttp((request, response) => {
    response.end(
      `origin: ${request.method} ${request.url} for ${String(request.headers['x-forwarded-for'])}\n`,
    );
  });
  const close = async (): Promise<void> => {
    await Promise.all(children.map((child) => stop(child)));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await new Promise<void>((resolve) => void server.listen(origin, '127.0.0.1', resolve));
    await writeFile(join(dir, 'asn.mmdb'), writeAsnMmdb(rows));
    children.push(
      spawn('redis-server', ['--port', String(redis), '--bind', '127.0.0.1', '--save', '', '--dir', dir], {
        stdio: 'ignore',
        detached: true,
      }),
    );
    for (const node of nodes) children.push(await startNode(node, dir, ports));
    await Promise.all(nodes.map((node) => answers(join(dir, `${node}-run/admin.sock`), waitMillis)));
  } catch (error) {
    await close();
    throw error;
  }
  const socket = (node: NodeName): string => join(dir, `${node}-run/admin.sock`);
  const tell = teller(ports, socket);
  await tell(allUp);
  return { dir, ports, tell, socket, close };
}

async function startNode(node: NodeName, dir: string, ports: Ports): Promise<ChildProcess> {
  const file = join(dir, `${node}.yaml`);
  await writeFile(file, siteConfig(node, dir, edgeHome(), ports));
  const out = join(dir, `${node}-out`);
  await renderOrThrow(file, { out, workers: 2, user: null });
  await chmod(join(dir, `${node}-run`), 0o755);
  return startNginx(out);
}

function teller(ports: Ports, socket: (node: NodeName) => string): Lab['tell'] {
  const epoch = Date.now();
  let seq = 0;
  return async (ups) => {
    seq += 1;
    for (const node of nodes) {
      const snapshot = snapshotFor(node, ups, ports, { epoch, seq }, new Date().toISOString());
      const result = await pushSnapshot(socket(node), snapshot);
      if (result.kind !== 'taken')
        throw new Error(`${node} did not take the state: ${JSON.stringify(result)}`);
    }
  };
}

async function answers(socket: string, waitMillis: number): Promise<void> {
  const end = Date.now() + waitMillis;
  for (;;) {
    const answer = await ask(socket, 'GET', '/status', '', 1000);
    if (answer.kind === 'answered' && answer.status === 200) return;
    if (Date.now() > end) throw new Error(`nginx does not answer on ${socket}: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
