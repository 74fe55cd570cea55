/** What the refresh remembers over restarts: which set is in force, and how far a roll-out has come. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomic } from '../../src/store/atomic-file.ts';

const memory = z.object({
  schema: z.literal(1),
  /** Set in force; null: none of ours yet. */
  current: z.string().nullable(),
  /** The one before it, kept for a rollback. */
  previous: z.string().nullable(),
  /** A set that was taken back: it is not put in again by itself. */
  refused: z.string().nullable(),
  /** A roll-out that has begun: whoever finds it here goes back to `from`. */
  rolling: z.object({ from: z.string(), to: z.string() }).nullable(),
  /** Users whom the current set and the one before answer differently: who of the two a site has is seen by them. */
  canaries: z.array(z.string()).max(100),
});
export type Memory = z.output<typeof memory>;

export const nothingRemembered: Memory = {
  schema: 1,
  current: null,
  previous: null,
  refused: null,
  rolling: null,
  canaries: [],
};

function fileOf(root: string): string {
  return join(root, 'refresh.json');
}

/** A file that cannot be used is as none: the paths themselves say what is in force. */
export async function readMemory(root: string): Promise<Memory> {
  try {
    const parsed = memory.safeParse(JSON.parse(await readFile(fileOf(root), 'utf8')));
    return parsed.success ? parsed.data : nothingRemembered;
  } catch {
    return nothingRemembered;
  }
}

export function writeMemory(root: string, state: Memory): Promise<void> {
  return writeAtomic(fileOf(root), `${JSON.stringify(state)}\n`);
}
