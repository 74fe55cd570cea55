/** All tools of the comparison, in the order of the table: ours, those that a package brings, and modelled ones. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { compiledProgram, readPidFile } from '../../lab/network/process.ts';
import { nodeFiles, type NodeOptions } from '../../lab/node/config.ts';
import { daemonPidFile, startDaemon, stopDaemon, writeNodeConfig } from '../../lab/node/program.ts';
import { exabgp } from './exabgp.ts';
import { keepaliveds } from './keepalived.ts';
import { liveRules, type LiveRule } from './live-rules.ts';
import { runTool, type Tool } from './tool.ts';

function causeway(name: string, set: string, options: NodeOptions): Tool {
  return {
    name,
    set,
    cannot: 'act before its patience has passed (5 s by default), drive another router than BIRD',
    version: () => Promise.resolve(ownVersion()),
    async start(network) {
      writeNodeConfig(network, { recovery: 'defaults', ...options });
      await startDaemon(network);
      const kill = (): Promise<void> => stopDaemon(network, 'SIGKILL');
      return { isRunning: () => readPidFile(daemonPidFile(network)) !== null, kill, stop: kill };
    },
  };
}

const impatient = { patience: '0s', probeInterval: '100ms', probeTimeout: '200ms' };

function modelled({ name, set, cannot }: LiveRule): Tool {
  return {
    name,
    set,
    cannot,
    version: () => Promise.resolve('modelled'),
    start: (network) =>
      runTool(network, name, [
        process.execPath,
        compiledProgram('bench/peers/rule-process'),
        name,
        nodeFiles(network).birdSocket,
      ]),
  };
}

export const tools: readonly Tool[] = [
  causeway('causeway', 'its defaults; ten targets in five regions', {}),
  causeway(
    'causeway impatient',
    'patience 0s, interval 100ms, timeout 200ms; what that costs in false alarms: the arena',
    impatient,
  ),
  ...keepaliveds,
  exabgp,
  ...liveRules.map((rule) => modelled(rule)),
];

function ownVersion(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8'))).version;
}
