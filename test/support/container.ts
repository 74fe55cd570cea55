/**
 * A booted Debian in systemd-nspawn, on an overlay of a kept tree that is thrown away: its own systemd, network and
 * journal. Commands are run in its namespaces, as root; nothing is registered with this machine's systemd.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { waitUntil } from '../../lab/network/wait.ts';

export interface Ran {
  readonly code: number;
  /** Standard output and error as they came. */
  readonly text: string;
}

export interface Container {
  /** Its root folder, as seen from here. */
  readonly root: string;
  /** A line of sh. Throws where it fails. */
  readonly sh: (line: string) => Promise<string>;
  /** The same, for one that may fail. */
  readonly tryTo: (line: string) => Promise<Ran>;
  stop(): Promise<void>;
}

/** A boot and a command on a machine that is busy with other things. */
const patienceMillis = 120_000;

export async function bootContainer(tree: string): Promise<Container> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-nspawn-'));
  const root = join(folder, 'root');
  // On a file system of its own: an overlay's upper folder must not lie on another overlay.
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(folder, name));
  const layers = `lowerdir=${tree},upperdir=${folder}/upper,workdir=${folder}/work`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, root]);
  const own = ['-q', '-D', root, '--register=no', '--keep-unit', '--private-network', '--capability=all'];
  const child = spawn('systemd-nspawn', [...own, '--console=pipe', '-b'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const stop = (): Promise<void> => end(child, root, folder);
  try {
    const inside = ['nsenter', '-t', String(await leaderOf(child)), '-m', '-u', '-i', '-n', '-p', '-r', '-w'];
    const tryTo = async (line: string): Promise<Ran> => {
      const [command, ...args] = [...inside, '/bin/sh', '-c', line];
      const { exitCode, all } = await execa(command, args, {
        reject: false,
        all: true,
        stdin: 'ignore',
        timeout: patienceMillis,
        env: {
          PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
          HOME: '/root',
          LC_ALL: 'C',
          DEBIAN_FRONTEND: 'noninteractive',
        },
        extendEnv: false,
      });
      return { code: exitCode ?? -1, text: all };
    };
    const sh = async (line: string): Promise<string> => {
      const { code, text } = await tryTo(line);
      if (code !== 0) throw new Error(`${line}\nended with ${code}:\n${text}`);
      return text;
    };
    await waitUntil(
      'the container to have booted',
      async () => /running|degraded/.test((await tryTo('systemctl is-system-running')).text),
      { timeoutMillis: patienceMillis, everyMillis: 200 },
    );
    return { root, sh, tryTo, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The container's process 1: the one child of nspawn's. */
async function leaderOf({ pid = 0 }: ChildProcess): Promise<number> {
  let leader = 0;
  await waitUntil(
    'process 1 of the container',
    () => {
      const file = `/proc/${pid}/task/${pid}/children`;
      const [first = ''] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
      leader = Number(first);
      // Before it is systemd, it is still nspawn, with half of the namespaces.
      return leader > 0 && readFileSync(`/proc/${leader}/comm`, 'utf8').trim() === 'systemd';
    },
    { timeoutMillis: patienceMillis, everyMillis: 50 },
  );
  return leader;
}

/** SIGTERM asks for an orderly poweroff; what does not hear it is killed, and its mounts are taken away. */
async function end(child: ChildProcess, root: string, folder: string): Promise<void> {
  child.kill('SIGTERM');
  await waitUntil('the container to end', () => child.exitCode !== null || child.signalCode !== null, {
    timeoutMillis: 30_000,
    everyMillis: 100,
  }).catch(() => child.kill('SIGKILL'));
  for (const place of [root, folder]) execFileSync('umount', ['--recursive', '--lazy', place]);
  rmSync(folder, { recursive: true, force: true });
}
