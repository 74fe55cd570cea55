/**
 * The freeze is a file: `paths.state`/freeze. While it is there the wish is frozen, over restarts and reboots, whoever
 * made it: `causeway freeze`, or `touch` at three in the morning. It is looked at in each tick.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeAtomic } from '../store/atomic-file.ts';
import type { Freeze } from '../types/freeze.ts';
import { wallTime } from '../types/wire/common.ts';
import { pause } from './pause.ts';

export interface FreezeFile {
  /** What stands now; an error of the disk leaves it as it was last seen. */
  look(): Promise<Freeze | null>;
  /** Freezes. False: the file could not be written within `waitMillis`; it is frozen until a restart then. */
  freeze(freeze: Freeze, waitMillis: number): Promise<boolean>;
  /** Thaws. Throws the error of the disk where the file cannot be removed: it is still frozen then. */
  thaw(): Promise<void>;
}

const written = z.object({
  author: z.string(),
  reason: z.string(),
  at: wallTime,
  scope: z.literal('fleet').exactOptional(),
});
/** More than this is no reason that somebody wrote. */
const longestReason = 200;

export function openFreezeFile(folder: string): FreezeFile {
  const path = join(folder, 'freeze');
  let seen: Freeze | null = null;
  let signature = '';
  /** Given here, and not on the disk. */
  let unkept: Freeze | null = null;
  return {
    async look() {
      try {
        const { mtimeMs, ino, size } = await stat(path);
        const now = `${ino}:${mtimeMs}:${size}`;
        if (now !== signature) {
          seen = freezeIn(await readFile(path, 'utf8'), new Date(mtimeMs).toISOString());
          signature = now;
        }
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
          seen = null;
          signature = '';
        }
      }
      return seen ?? unkept;
    },
    async freeze(freeze, waitMillis) {
      unkept = freeze;
      const writing = write(path, freeze).then(
        () => true,
        () => false,
      );
      return Promise.race([writing, pause(waitMillis).then(() => false)]);
    },
    async thaw() {
      await rm(path, { force: true });
      unkept = null;
      seen = null;
      signature = '';
    },
  };
}

/** What `causeway freeze` wrote, or whatever a person put into it; an empty file is as good. */
function freezeIn(text: string, at: string): Freeze {
  try {
    return written.parse(JSON.parse(text));
  } catch {
    const first = text.trim().split('\n')[0]?.slice(0, longestReason) ?? '';
    return { author: 'file', reason: first === '' ? 'the file `freeze` is in the state folder' : first, at };
  }
}

async function write(path: string, freeze: Freeze): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeAtomic(path, `${JSON.stringify(freeze)}\n`);
}
