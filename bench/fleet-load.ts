/**
 * What a fleet of 200 nodes with four uplinks each costs one Redis, and one node, beside a peer that does as many bare SET
 * and GET of the same size. Both are measured from /proc in turn; the 200 run in processes of their own, and the node
 * that is measured alone in one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePorts } from '../edge/lab/process.ts';
import { connectRedis } from '../src/adapters/redis.ts';
import { cpuMicrosOf, ended, quantileOf, sleep } from './probe-stand.ts';
import { report } from './report.ts';

export const help = `fleet-load [--nodes N] [--seconds N] [--rounds N] [--changes N] [--write FILE.md] [--json]
  CPU of Redis and of one node with 200 nodes publishing and reading, beside bare SET and GET at the same pace.
  --changes  of what a node says of itself, in an hour (default 12)`;

/** Issue "The fleet", numbers: shares of a core. */
const reach = { redis: 0.05, node: 0.01 };
const crewSize = 50;
const ticksPerSecond = 5;
/** A tick of a simulated node says that it lives; what it costs there is nobody's figure. */
const simulatedTicksPerSecond = 1;

interface Use {
  /** Shares of a core. */
  readonly redis: number;
  readonly node: number;
}

interface Load {
  readonly nodes: number;
  readonly seconds: number;
  readonly changesPerHour: number;
}

/** Exit code 0: both shares are within reach. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      changes: { type: 'string', default: '12' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const load = {
    nodes: Number(values.nodes),
    seconds: Number(values.seconds),
    changesPerHour: Number(values.changes),
  };
  const uses: Record<'fleet' | 'peer', Use[]> = { fleet: [], peer: [] };
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const kind of ['fleet', 'peer'] as const) uses[kind].push(await measure(kind, load));
  const ours = middle(uses.fleet);
  const peer = middle(uses.peer);
  const kept = ours.redis <= reach.redis && ours.node <= reach.node;
  const json = { load, uses, ours, peer, reach, kept };
  report(args, { name: 'fleet-load', text: textOf(load, ours, peer), json });
  return kept ? 0 : 1;
}

/** A Redis of its own for each measurement. */
async function measure(kind: 'fleet' | 'peer', { nodes, seconds, changesPerHour }: Load): Promise<Use> {
  const [port = 0] = await freePorts(1);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', options, { stdio: 'ignore' });
  const crews: ChildProcess[] = [];
  const crew = (first: number, count: number, ticks: number): Promise<void> => {
    const program = fileURLToPath(new URL('fleet-crew.js', import.meta.url));
    const words = [kind, port, first, count, ticks, changesPerHour].map(String);
    const child = spawn(process.execPath, [program, ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    crews.push(child);
    return readiness(child);
  };
  try {
    await answers(port);
    const simulated = nodes - 1;
    for (let first = 0; first < simulated; first += crewSize)
      await crew(first, Math.min(crewSize, simulated - first), simulatedTicksPerSecond);
    await crew(simulated, 1, ticksPerSecond);
    const node = crews.at(-1)?.pid ?? 0;
    const server = redis.pid ?? 0;
    // The last crew's first words reach everybody.
    await sleep(3000);
    const before = { at: performance.now(), redis: cpuMicrosOf(server), node: cpuMicrosOf(node) };
    await sleep(seconds * 1000);
    const micros = (performance.now() - before.at) * 1000;
    return {
      redis: (cpuMicrosOf(server) - before.redis) / micros,
      node: (cpuMicrosOf(node) - before.node) / micros,
    };
  } finally {
    await Promise.all([...crews, redis].map((child) => ended(child)));
  }
}

function readiness(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`a crew ended with ${code}`)));
  });
}

async function answers(port: number): Promise<void> {
  const settings = {
    way: { kind: 'single', host: '127.0.0.1', port, db: 0 },
    user: null,
    passwordFile: null,
    tls: null,
  } as const;
  for (let left = 100; ; left -= 1) {
    try {
      (await connectRedis(settings, 'bench')).end();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await sleep(100);
    }
  }
}

function middle(uses: readonly Use[]): Use {
  return {
    redis: quantileOf(
      uses.map((use) => use.redis),
      0.5,
    ),
    node: quantileOf(
      uses.map((use) => use.node),
      0.5,
    ),
  };
}

function textOf({ nodes, seconds, changesPerHour }: Load, ours: Use, peer: Use): string {
  const share = (value: number) => `${(100 * value).toFixed(2)} %`.padStart(9);
  const verdict = (value: number, most: number) => `≤ ${100 * most} %: ${value <= most ? 'kept' : 'MISSED'}`;
  return [
    `${nodes} nodes, 4 uplinks, ${changesPerHour} changes of each in an hour, ${seconds} s a round; shares of a core, medians`,
    `        fleet      SET+GET`,
    `Redis   ${share(ours.redis)} ${share(peer.redis)}   ${verdict(ours.redis, reach.redis)}`,
    `node    ${share(ours.node)} ${share(peer.node)}   ${verdict(ours.node, reach.node)}`,
  ].join('\n');
}
