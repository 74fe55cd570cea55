/**
 * Texts that are kept in the state folder: the last confirmed one, and the one that is being applied. Both hold passwords,
 * and are for the owner and the folder's group alone, like the owned file.
 */
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OwnedFileError, readOwned, writeOwned } from '../owned-file.ts';
import type { BaseWorld } from './put-back.ts';

/** The part of the world that lives in the state folder. */
export type KeptTexts = Pick<
  BaseWorld,
  'confirmed' | 'keepConfirmed' | 'isApplying' | 'beginApplying' | 'concludeApplying' | 'discardApplying'
>;

/** Throws OwnedFileError where the folder cannot be read or written. */
export function keptTexts(stateFolder: string): KeptTexts {
  const confirmed = join(stateFolder, 'bird-confirmed.conf');
  const applying = join(stateFolder, 'bird-applying.conf');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(stateFolder, { recursive: true });
    await writeOwned(path, text);
  };
  return {
    confirmed: () => readIfThere(confirmed),
    async keepConfirmed(text) {
      if ((await readIfThere(confirmed)) !== text) await write(confirmed, text);
    },
    isApplying: () =>
      access(applying).then(
        () => true,
        () => false,
      ),
    beginApplying: (text) => write(applying, text),
    async concludeApplying() {
      await rename(applying, confirmed);
      await syncFolder(stateFolder);
    },
    async discardApplying() {
      await rm(applying, { force: true });
      await syncFolder(stateFolder).catch(() => undefined);
    },
  };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readOwned(path);
  } catch (error) {
    if (error instanceof OwnedFileError && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
