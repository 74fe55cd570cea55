/** Who a lab belongs to: a file in its folder names the process, so that a killed lab can be told from a living one. */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, thisProcess, type ProcessRef } from './process.ts';
import { labFolder, labsFolder } from './names.ts';

/** Makes the lab's folder and puts our name on it; throws when a living process has that id. */
export function claim(id: string): string {
  const folder = labFolder(id);
  const owner = ownerOf(id);
  if (owner !== null && isRunning(owner)) {
    throw new Error(
      `lab \`${id}\` is running already (process ${owner.pid}): choose another with --id, or end that one`,
    );
  }
  // Made beside and renamed: a folder without an owner would be a dead lab's to a `clean` that looks just then.
  const beside = join(labsFolder, `.${id}-${process.pid}`);
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, 'owner'), JSON.stringify(thisProcess()));
  rmSync(folder, { recursive: true, force: true });
  renameSync(beside, folder);
  return folder;
}

/** The process in the owner file; null: no such lab, or the file is damaged. */
export function ownerOf(id: string): ProcessRef | null {
  const path = join(labFolder(id), 'owner');
  if (!existsSync(path)) return null;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessRef;
  } catch {
    return null;
  }
}

export function isOwnerAlive(id: string): boolean {
  const owner = ownerOf(id);
  return owner !== null && isRunning(owner);
}

/** Ids of all labs that have a folder. */
export function labIds(): readonly string[] {
  if (!existsSync(labsFolder)) return [];
  return readdirSync(labsFolder)
    .filter((name) => !name.startsWith('.'))
    .sort();
}
