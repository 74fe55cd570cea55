/** The epoch of a sender: greater at each start than the clock, than the last one here, and than any that was heard. */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeAtomic } from './atomic-file.ts';

/** Never rejects: with a disk that cannot be read or written the clock alone counts, and receivers tell what is too low. */
export async function nextEpoch(path: string, wallMillis: number): Promise<number> {
  const last = await readEpoch(path);
  const epoch = Math.max(Math.floor(wallMillis), last + 1);
  await keepEpoch(path, epoch);
  return epoch;
}

/** Never rejects. */
export async function keepEpoch(path: string, epoch: number): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomic(path, `${epoch}\n`);
  } catch {
    // The next start goes above what receivers report.
  }
}

async function readEpoch(path: string): Promise<number> {
  try {
    const epoch = Number((await readFile(path, 'utf8')).trim());
    return Number.isSafeInteger(epoch) && epoch >= 0 ? epoch : 0;
  } catch {
    return 0;
  }
}
