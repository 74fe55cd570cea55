/** The configuration and single files, for commands that need no more. */
import { readFile } from 'node:fs/promises';
import { type GeoDnsConfig, loadConfig } from '../service/config.ts';
import { FilesError } from '../service/files.ts';
import { formatProblem } from '../yaml-file.ts';

/** Throws a FilesError. */
export async function readConfigFile(path: string): Promise<GeoDnsConfig> {
  const loaded = loadConfig(path, await readText(path));
  if (loaded.kind === 'refused') throw new FilesError(loaded.problems.map(formatProblem));
  return loaded.value;
}

/** Throws a FilesError. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new FilesError([`${path}: cannot be read (${code}); check the path and its permissions`]);
  }
}
