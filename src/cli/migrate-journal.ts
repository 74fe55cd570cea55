/** What a migration has to put back, kept while it is under way. It holds the owned file's secrets: mode 0600. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const journalSchema = z.object({
  schema: z.literal(1),
  uplink: z.string(),
  /** Path of the operator's file. */
  conf: z.string(),
  texts: z.object({ conf: z.string(), owned: z.string().nullable() }),
});
export type MigrateJournal = z.infer<typeof journalSchema>;

export function journalPath(stateFolder: string): string {
  return join(stateFolder, 'migrate.json');
}

/** null: no migration is under way. Throws an Error for a file that cannot be read. */
export async function readJournal(path: string): Promise<MigrateJournal | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  return journalSchema.parse(JSON.parse(text));
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
