/** The built `causeway-geodns`, as users start it, and its death without warning. */
import { type ChildProcess, spawn } from 'node:child_process';
import { waitUntil } from '../../lab/network/wait.ts';

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Resolves when it listens; rejects with what it said when it ended instead. */
export async function spawnService(
  configPath: string,
  base: string,
  more: readonly string[] = [],
): Promise<ServiceProcess> {
  const argv = [
    '--pdeathsig',
    'KILL',
    process.execPath,
    'bin/causeway-geodns',
    'run',
    '-c',
    configPath,
    ...more,
  ];
  const child = spawn('setpriv', argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const health = (): Promise<boolean> =>
    fetch(`${base}/healthz`).then(
      (response) => response.status === 200,
      () => false,
    );
  await waitUntil('causeway-geodns to listen', () => child.exitCode !== null || health(), {
    timeoutMillis: 60_000,
  });
  if (child.exitCode !== null) throw new Error(`causeway-geodns ended with ${child.exitCode}: ${said}`);
  return {
    child,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}
