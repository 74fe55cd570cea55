/** The node's BIRD: runs the owned file, in the node's namespace. */
import { join } from 'node:path';
import { openControl } from '../carrier/control.ts';
import type { Network } from '../network/network.ts';
import { readPidFile, startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { nodeFiles } from './config.ts';

function pidFile(network: Network): string {
  return join(network.folder, 'node-bird.pid');
}

/** Starts it if it does not run, and waits until its socket answers. */
export async function startNodeBird(network: Network, bird = 'bird'): Promise<void> {
  const files = nodeFiles(network);
  if (readPidFile(pidFile(network)) === null) {
    await startIn({
      namespace: network.namespace('node'),
      argv: [bird, '-f', '-c', files.owned, '-s', files.birdSocket],
      log: join(network.folder, 'node-bird.log'),
      pidFile: pidFile(network),
    });
  }
  await waitUntil('the node’s BIRD to answer', () => askNodeBird(network, 'show status'));
}

/** SIGTERM is an orderly end, SIGKILL a crash. */
export async function stopNodeBird(network: Network, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  await stopPidFile(pidFile(network), signal);
}

/** One command on BIRD's own socket, as an operator's `birdc` would give it; lines of the reply without their codes. */
export async function askNodeBird(network: Network, command: string): Promise<readonly string[]> {
  const control = openControl(nodeFiles(network).birdSocket);
  try {
    return await control.ask(command);
  } finally {
    control.close();
  }
}

/** Of a protocol in `show protocols all`: the State column, and the message or description that stands there. */
export interface ProtocolShown {
  readonly state: string;
  readonly message: string | null;
  readonly description: string | null;
}

export async function showProtocol(network: Network, name: string): Promise<ProtocolShown> {
  const lines = await askNodeBird(network, `show protocols all ${name}`);
  const row = lines.find((line) => line.startsWith(`${name} `));
  if (row === undefined) throw new Error(`BIRD shows no protocol ${name}`);
  const field = (label: string) =>
    lines
      .map((line) => line.trim())
      .find((line) => line.startsWith(`${label}:`))
      ?.slice(label.length + 1)
      .trim();
  return {
    state: row.trim().split(/\s+/)[3] ?? '',
    message: field('Message') ?? null,
    description: field('Description') ?? null,
  };
}
