/**
 * One apply at a time on a machine: a file in the state folder that names its owner by process id and start time. The lock
 * of a process that has died is taken over.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `held`: a living process has it. */
export type Lock =
  | { readonly kind: 'taken'; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly pid: number };

/** Long enough for a second one that found the same dead owner to have shown itself. */
const secondLookMillis = 100;

/** Throws the errno of a state folder that cannot be written. */
export async function takeLock(stateFolder: string): Promise<Lock> {
  await mkdir(stateFolder, { recursive: true });
  const path = join(stateFolder, 'bird-apply.lock');
  const own = `${process.pid} ${(await startOf(process.pid)) ?? ''}`;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      await writeFile(path, own, { flag: 'wx', mode: 0o640 });
      if (attempt > 0) await pause(secondLookMillis);
      if ((await ownerIn(path)) === own) return { kind: 'taken', release: () => rm(path, { force: true }) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = await ownerIn(path);
    const [digits = '', start = ''] = owner.split(' ');
    const pid = Number(digits);
    // An empty file is one that is being written, or whose writer died at it.
    if (owner === '') await pause(secondLookMillis);
    else if ((await startOf(pid)) === start) return { kind: 'held', pid };
    await rm(path, { force: true });
  }
  return { kind: 'held', pid: 0 };
}

async function ownerIn(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** Field 22 of /proc/PID/stat (proc(5)), in ticks since boot; null: there is no such process. */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // The name in parentheses may hold spaces.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function pause(waitMillis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, waitMillis);
  });
}
