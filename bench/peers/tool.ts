/** A tool that decides by itself what the lab's node announces, as far as the comparison needs to know it. */
import { join } from 'node:path';
import type { Network } from '../../lab/network/network.ts';
import { readPidFile, startIn, stopPidFile } from '../../lab/network/process.ts';

export interface Tool {
  /** As it stands in the table. */
  readonly name: string;
  /** How it is set: documented defaults with their source, and what was added to make it act on an uplink. */
  readonly set: string;
  /** What it cannot do, whatever is set. */
  readonly cannot: string;
  /** Its version; null: it cannot be run here. */
  version(): Promise<string | null>;
  /** From all announced, with nobody in charge, to running. */
  start(network: Network): Promise<RunningTool>;
}

export interface RunningTool {
  /** A tool that ended by itself keeps every route and would look faultless. */
  isRunning(): boolean;
  /** kill -9 of what acts. */
  kill(): Promise<void>;
  /** Ends whatever is left of it; the node is as before `start` once the stand was made ready again. */
  stop(): Promise<void>;
}

/** A command in the node's namespace as a tool. */
export async function runTool(network: Network, name: string, argv: readonly string[]): Promise<RunningTool> {
  const pidFile = join(network.folder, `peer-${name.replaceAll(/\W+/g, '-')}.pid`);
  await startIn({ namespace: network.namespace('node'), argv, log: `${pidFile}.log`, pidFile });
  return {
    isRunning: () => readPidFile(pidFile) !== null,
    kill: () => stopPidFile(pidFile, 'SIGKILL'),
    stop: () => stopPidFile(pidFile, 'SIGTERM'),
  };
}
