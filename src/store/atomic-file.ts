/** Files that a reader sees either as they were or as they shall be, also after a crash or with a full disk. */
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

let written = 0;

/**
 * Writes `data` to a new file beside `path`, syncs it, and renames it over `path`; the folder is synced too, so that the
 * name survives a power cut. The old content stays if anything fails, the new file is removed, and the error is thrown.
 * Readers that have the old file mapped keep it, which is why an MMDB may only be replaced in this way.
 */
export async function writeAtomic(path: string, data: string | Uint8Array, mode = 0o640): Promise<void> {
  written += 1;
  const fresh = join(dirname(path), `.${basename(path)}.${process.pid}.${written}.new`);
  try {
    const file = await open(fresh, 'wx', mode);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes renames and new names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
