/** The program under test as the lab's node runs it: the compiled `causeway`, in the node's namespace. */
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fetchStatus } from '../../src/cli/daemon-client.ts';
import type { StatusDocument } from '../../src/types/wire/status.ts';
import type { Network } from '../network/network.ts';
import { compiledProgram, readPidFile, signalProcess, startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { nodeConfig, nodeFiles, type NodeOptions } from './config.ts';

export function daemonPidFile(network: Network): string {
  return join(network.folder, 'daemon.pid');
}

/** Runs one subcommand to its end and returns what it prints; throws when it fails. */
export function causeway(network: Network, args: readonly string[]): Promise<string> {
  const config = nodeFiles(network).config;
  return network.run('node', [process.execPath, compiledProgram('src/cli/main'), ...args, '-c', config]);
}

export function writeNodeConfig(network: Network, options: NodeOptions): void {
  const files = nodeFiles(network);
  mkdirSync(dirname(files.owned), { recursive: true });
  writeFileSync(files.config, nodeConfig(files, options));
}

/** Applies what `causeway routing` prints. */
export async function applyRouting(network: Network): Promise<void> {
  const commands = await causeway(network, ['routing']);
  await network.run('node', ['sh', '-e'], commands);
}

/** The owned file with everything announced; a running BIRD is not touched. */
export async function writeOwnedFile(network: Network): Promise<void> {
  await causeway(network, ['render', '--write', '--plain']);
}

export interface DaemonOptions {
  /** Root that a file's permissions bind, so that a forbidden socket is forbidden. */
  readonly bound?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startDaemon(network: Network, options: DaemonOptions = {}): Promise<void> {
  const files = nodeFiles(network);
  const caps = '-dac_override,-dac_read_search';
  const bound = options.bound === true ? ['setpriv', '--bounding-set', caps, '--inh-caps', caps, '--'] : [];
  // The log is there before its reader.
  closeSync(openSync(files.daemonLog, 'a'));
  await startIn({
    namespace: network.namespace('node'),
    argv: [...bound, process.execPath, compiledProgram('src/cli/main'), 'run', '-c', files.config],
    log: files.daemonLog,
    pidFile: daemonPidFile(network),
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  await waitUntil(
    `the daemon to answer (log: ${files.daemonLog})`,
    async () => {
      if (readPidFile(daemonPidFile(network)) === null) throw new Error('it ended');
      return readStatus(network);
    },
    { everyMillis: 50 },
  );
}

export async function stopDaemon(network: Network, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  await stopPidFile(daemonPidFile(network), signal);
}

/** SIGSTOP halts it where it stands, SIGCONT lets it go on, SIGTERM asks it to end. */
export function signalDaemon(network: Network, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void {
  const ref = readPidFile(daemonPidFile(network));
  if (ref === null) throw new Error('the daemon does not run');
  signalProcess(ref, signal);
}

/** Forgets checkpoints and overrides; only while the daemon is stopped. */
export function forgetState(network: Network): void {
  rmSync(nodeFiles(network).state, { recursive: true, force: true });
}

/** The daemon's own word; null: it cannot be reached. Never what a scenario's verdict rests on. */
export async function readStatus(network: Network): Promise<StatusDocument | null> {
  const socket = nodeFiles(network).control;
  if (!existsSync(socket)) return null;
  const answer = await fetchStatus([{ kind: 'socket', path: socket }]);
  return answer.kind === 'answer' ? answer.document : null;
}
