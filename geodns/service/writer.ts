/**
 * Whose zone it is. Each state folder has a name of its own, made once; it stands in every zone that its service publishes.
 * A service never overwrites the zone of another folder unless it is told to take over: its own folder may know nothing of
 * what nodes have told, and would answer as if all were well.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from '../../src/store/atomic-file.ts';

/** The folder's name, 16 letters; made when there is none. Rejects when it cannot be kept. */
export async function writerNameOf(folder: string): Promise<string> {
  const path = join(folder, 'writer');
  const found = await readFile(path, 'utf8').catch(() => '');
  const known = /^([0-9a-f]{16})\n$/.exec(found)?.[1];
  if (known !== undefined) return known;
  const made = randomBytes(8).toString('hex');
  await writeAtomic(path, `${made}\n`);
  return made;
}
