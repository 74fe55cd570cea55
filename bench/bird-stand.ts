/** What the benchmarks of BIRD run on: the lab's network with three carriers, and the node's BIRD with the rendered file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BirdClient, openClient } from '../bird/client.ts';
import { tailFile } from '../lab/carrier/wire-log.ts';
import { observeCarriers } from '../lab/carrier/observer.ts';
import { openControl } from '../lab/carrier/control.ts';
import { carrierFiles, startCarriers } from '../lab/carrier/router.ts';
import { type CarrierName, carrierNames, freshLabId } from '../lab/network/names.ts';
import { type Network, startNetwork } from '../lab/network/network.ts';
import { readPidFile } from '../lab/network/process.ts';
import { waitUntil } from '../lab/network/wait.ts';
import { startNodeBird } from '../lab/node/bird.ts';
import { nodeFiles } from '../lab/node/config.ts';
import { sessionsUp } from '../lab/node/lab.ts';
import { applyRouting, writeNodeConfig, writeOwnedFile } from '../lab/node/program.ts';
import { loadConfig } from '../src/config/load.ts';
import type { NodeConfig } from '../src/types/config.ts';

export interface BirdStand {
  readonly network: Network;
  readonly config: NodeConfig;
  readonly client: BirdClient;
  /** BIRD's own log on the node. */
  readonly log: string;
  /** CPU that the node's BIRD has used, in ms. */
  birdCpuMillis(): number;
  remove(): void;
}

/** Up to six established sessions; about ten seconds. */
export async function startBirdStand(): Promise<BirdStand> {
  const network = await startNetwork(freshLabId());
  try {
    const files = nodeFiles(network);
    const log = join(network.folder, 'bird-own.log');
    await startCarriers(network);
    writeNodeConfig(network, {});
    await Promise.all([applyRouting(network), writeOwnedFile(network)]);
    const text = readFileSync(files.owned, 'utf8');
    writeFileSync(files.owned, text.replace('log syslog all;', `log "${log}" all;`));
    await Promise.all(carrierNames.map((name) => logMicroseconds(network, name)));
    await startNodeBird(network);
    const observer = observeCarriers(network);
    await waitUntil('six established sessions', () => sessionsUp(observer), { timeoutMillis: 60_000 });
    observer.close();
    const read = await loadConfig(files.config);
    if (read.kind === 'bad') throw new Error(read.problems.map((each) => each.text).join('\n'));
    const client = openClient({ path: files.birdSocket, timeoutMillis: 10_000 });
    return {
      network,
      config: read.config,
      client,
      log,
      birdCpuMillis: () => cpuMillis(join(network.folder, 'node-bird.pid')),
      remove() {
        client.close();
        network.remove();
      },
    };
  } catch (error) {
    network.remove();
    throw error;
  }
}

/** The lab needs milliseconds; a withdrawal that takes less than one does not. */
async function logMicroseconds(network: Network, name: CarrierName): Promise<void> {
  const path = join(network.folder, `${name}.conf`);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace('timeformat log iso long ms;', 'timeformat log iso long us;'),
  );
  const control = openControl(carrierFiles(network, name).socket);
  try {
    await waitUntil(`${name} to take its log's format`, () => control.ask('configure'));
  } finally {
    control.close();
  }
}

/** Waits for what the carrier's log says of the service's IPv4 prefix. */
export interface CarrierWatch {
  /** Wall time in ms (with fractions) at which the carrier wrote it, after `from` (also wall time). */
  next(what: 'gone' | 'there', from: number): Promise<number>;
  close(): void;
}

export function watchCarrier(network: Network, name: CarrierName, prefix: string): CarrierWatch {
  const tail = tailFile(carrierFiles(network, name).log, true);
  const pending: string[] = [];
  return {
    next: (what, from) =>
      waitUntil(
        `${name} to say that ${prefix} is ${what}`,
        () => {
          pending.push(...tail.lines());
          const times = pending.splice(0).map((line) => timeOf(line, what, prefix));
          return times.find((time) => time !== null && time >= from) ?? null;
        },
        { everyMillis: 1 },
      ),
    close: () => tail.close(),
  };
}

function timeOf(line: string, what: 'gone' | 'there', prefix: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.(\d+) <\w+> (.*)$/.exec(line);
  if (match === null || !line.includes(prefix)) return null;
  const text = match[4] ?? '';
  const is =
    what === 'gone' ? / > removed /.test(text) : text.startsWith('filters, line') || text.includes('HEARD ');
  if (!is) return null;
  return new Date(`${match[1]}T${match[2]}`).getTime() + Number(`0.${match[3]}`) * 1000;
}

/** Wall time in ms with fractions, on the clock that BIRD's log has. */
export function wallMillis(): number {
  return performance.timeOrigin + performance.now();
}

/** Of /proc/PID/stat: user and system time; a tick is 10 ms. */
function cpuMillis(pidFile: string): number {
  const pid = readPidFile(pidFile)?.pid;
  if (pid === undefined) throw new Error('the node’s BIRD does not run');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
