/**
 * Processes of a lab. They are started detached, by pid, with a log and a pid file in the lab's folder, so that another
 * command (`npm run lab -- break …`) can find, stop and restart them, and a crash of the lab leaves a trail for `clean`.
 */
import { inside } from './inside.ts';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitUntil } from './wait.ts';

/** A process, told from a later one with the same pid by its start time (field 22 of /proc/PID/stat). */
export interface ProcessRef {
  readonly pid: number;
  readonly startedTicks: string;
}

export interface StartOptions {
  readonly namespace: string;
  readonly argv: readonly string[];
  /** Gets standard output and error, appended. */
  readonly log: string;
  readonly pidFile: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a command in a namespace; `ip netns exec` becomes the command, so the pid is the command's own. */
export async function startIn(options: StartOptions): Promise<ProcessRef> {
  const log = openSync(options.log, 'a');
  try {
    const child = spawn('ip', inside(options.namespace, options.argv), {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...options.env },
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(child.pid ?? 0));
    });
    child.unref();
    const startedTicks = ticksOf(pid);
    if (startedTicks === null) throw new Error(`${options.argv[0]} ended at once; see ${options.log}`);
    const ref = { pid, startedTicks };
    writeFileSync(options.pidFile, JSON.stringify(ref));
    return ref;
  } finally {
    closeSync(log);
  }
}

/** What a pid file names; null: there is none, or that process is gone. */
export function readPidFile(path: string): ProcessRef | null {
  if (!existsSync(path)) return null;
  try {
    const ref = JSON.parse(readFileSync(path, 'utf8')) as ProcessRef;
    return isRunning(ref) ? ref : null;
  } catch {
    return null;
  }
}

export function isRunning(ref: ProcessRef): boolean {
  return ticksOf(ref.pid) === ref.startedTicks;
}

/** This process, for owner files. */
export function thisProcess(): ProcessRef {
  return { pid: process.pid, startedTicks: ticksOf(process.pid) ?? '' };
}

export function signalProcess(ref: ProcessRef, signal: NodeJS.Signals): void {
  if (!isRunning(ref)) return;
  try {
    process.kill(ref.pid, signal);
  } catch {
    // It ended in between.
  }
}

/** Stops the process of a pid file and waits until it is gone; SIGKILL after `graceMillis`. */
export async function stopPidFile(
  path: string,
  signal: NodeJS.Signals = 'SIGTERM',
  graceMillis = 5000,
): Promise<void> {
  const ref = readPidFile(path);
  if (ref !== null) {
    signalProcess(ref, signal);
    if (signal !== 'SIGKILL') signalProcess(ref, 'SIGCONT');
    try {
      await waitUntil(`process ${ref.pid} to end`, () => !isRunning(ref), {
        timeoutMillis: graceMillis,
        everyMillis: 5,
      });
    } catch {
      signalProcess(ref, 'SIGKILL');
      await waitUntil(`process ${ref.pid} to end`, () => !isRunning(ref), { everyMillis: 5 });
    }
  }
  rmSync(path, { force: true });
}

/** Start time in clock ticks; null: no such process, or a zombie that nobody has reaped yet. */
function ticksOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; state is the first field behind it, start time the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return fields[19] ?? null;
  } catch {
    return null;
  }
}

/** The checkout's root: the nearest folder above this file that has a package.json. */
export function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = above;
  }
  return folder;
}

/** A compiled program of this repository, such as `lab/network/listener`; throws when the build is missing. */
export function compiledProgram(name: string): string {
  const dist = process.env['CAUSEWAY_DIST'] ?? join(repositoryRoot(), 'dist');
  const path = join(dist, `${name}.js`);
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`npm run build\` first`);
  return path;
}
