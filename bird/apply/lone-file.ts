/** The owned file in the hands of a command that runs alone, without a daemon. */
import { readStates } from '../file-states.ts';
import { readOwned, writeOwned } from '../owned-file.ts';
import type { BaseFile } from './world.ts';

/** Reads and writes it as it is. Throws OwnedFileError and NotOwnedError. */
export function loneFile(path: string): BaseFile {
  return {
    path,
    async text() {
      const text = await readOwned(path);
      readStates(text);
      return text;
    },
    swap: (text) => writeOwned(path, text),
  };
}
