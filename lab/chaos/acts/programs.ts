/** Acts on the programs of a node, and on its disk and clock. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryRun } from '../../network/command.ts';
import type { FleetNodeName } from '../../network/names.ts';
import { readPidFile, signalProcess } from '../../network/process.ts';
import { askNodeBird, startNodeBird, stopNodeBird } from '../../node/bird.ts';
import { nodeFiles } from '../../node/config.ts';
import { stopEdge } from '../../node/edge.ts';
import { startHaproxy, stopHaproxy } from '../../node/haproxy.ts';
import { daemonPidFile, startDaemon, stopDaemon } from '../../node/program.ts';
import { moveClock, startNodeEdge, type World } from '../world.ts';
import { type Act, nothingToMend } from './act.ts';

export function birdStruck(world: World, name: FleetNodeName, what: 'killed' | 'halted' | 'configured'): Act {
  const { network } = world.node(name).lab;
  const pidFile = join(network.folder, 'node-bird.pid');
  switch (what) {
    case 'killed':
      return { apply: () => stopNodeBird(network, 'SIGKILL'), mend: () => startNodeBird(network) };
    case 'halted':
      return { apply: async () => signal(pidFile, 'SIGSTOP'), mend: async () => signal(pidFile, 'SIGCONT') };
    case 'configured':
      return {
        apply: async () => {
          await askNodeBird(network, 'configure');
        },
        mend: nothingToMend,
      };
  }
}

export function daemonStruck(world: World, name: FleetNodeName, what: 'killed' | 'halted'): Act {
  const { network } = world.node(name).lab;
  if (what === 'halted')
    return {
      apply: async () => signal(daemonPidFile(network), 'SIGSTOP'),
      mend: async () => signal(daemonPidFile(network), 'SIGCONT'),
    };
  return { apply: () => stopDaemon(network, 'SIGKILL'), mend: () => ensureDaemon(world, name) };
}

export async function ensureDaemon(world: World, name: FleetNodeName): Promise<void> {
  const { network } = world.node(name).lab;
  if (readPidFile(daemonPidFile(network)) === null) await startDaemon(network, world.daemonOptions(name));
}

/** The child that probes. The daemon starts another for one that was killed. */
export function proberStruck(world: World, name: FleetNodeName, what: 'killed' | 'halted'): Act {
  const { network } = world.node(name).lab;
  const each = (word: NodeJS.Signals): void => {
    const ref = readPidFile(daemonPidFile(network));
    if (ref === null) return;
    for (const pid of proberPids(ref.pid)) process.kill(pid, word);
  };
  return {
    apply: async () => each(what === 'killed' ? 'SIGKILL' : 'SIGSTOP'),
    mend: async () => (what === 'killed' ? undefined : each('SIGCONT')),
  };
}

function proberPids(parent: number): readonly number[] {
  return readdirSync(`/proc/${parent}/task`)
    .flatMap((task) => readFileSync(`/proc/${parent}/task/${task}/children`, 'utf8').trim().split(' '))
    .filter((text) => text !== '')
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('prober'));
}

export function serviceKilled(world: World, name: FleetNodeName): Act {
  const { network } = world.node(name).lab;
  return { apply: () => stopHaproxy(network), mend: () => startHaproxy(network) };
}

export function edgeKilled(world: World, name: FleetNodeName): Act {
  const node = world.node(name);
  const files = nodeFiles(node.lab.network);
  return {
    apply: () => stopEdge(files),
    mend: async () => {
      await stopEdge(files);
      await startNodeEdge(node);
    },
  };
}

export function clockMoved(world: World, name: FleetNodeName, seconds: number): Act {
  const node = world.node(name);
  return {
    apply: async () => {
      if (!world.clocks.includes(name)) throw new Error(`the clock of ${name} cannot be moved`);
      moveClock(node, seconds);
    },
    mend: async () => moveClock(node, 0),
  };
}

/** Fills what is left of the disk that holds the daemon's state. */
export function diskFull(world: World, name: FleetNodeName): Act {
  const ballast = join(nodeFiles(world.node(name).lab.network).state, 'ballast');
  return {
    // It ends with an error, and with no space left.
    apply: async () => {
      await tryRun('sh', ['-c', 'cat /dev/zero > "$1"', 'sh', ballast]);
    },
    mend: async () => rmSync(ballast, { force: true }),
  };
}

function signal(pidFile: string, word: 'SIGSTOP' | 'SIGCONT'): void {
  const ref = readPidFile(pidFile);
  if (ref !== null) signalProcess(ref, word);
}
