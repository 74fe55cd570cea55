/**
 * Databases on disk. Each pair lies in a folder of its own (`sets/ID`) and is never written again; the paths that PowerDNS
 * and this service read become symbolic links to it, put in place by rename. A file that PowerDNS has mapped keeps its
 * bytes so, and dies only when nobody has it open any more: writing into it would kill PowerDNS on the spot.
 */
import { createHash } from 'node:crypto';
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../src/store/atomic-file.ts';
import type { Paths } from './judge-run.ts';

const names = { asn: 'asn.mmdb', country: 'country.mmdb' } as const;

export function pathsIn(folder: string): Paths {
  return { asn: join(folder, names.asn), country: join(folder, names.country) };
}

export function setPaths(root: string, id: string): Paths {
  return pathsIn(join(root, 'sets', id));
}

/** Short, and the same for the same bytes. */
export async function idOf({ asn, country }: Paths): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [asn, country])
    hash.update(
      createHash('sha256')
        .update(await readFile(path))
        .digest(),
    );
  return hash.digest('hex').slice(0, 16);
}

/** Makes a set of these files, which stay where they are; one that is there already stays. */
export async function keepSet(root: string, files: Paths): Promise<string> {
  const id = await idOf(files);
  const place = join(root, 'sets', id);
  if (await exists(join(place, names.country))) return id;
  const fresh = join(root, 'sets', `.${id}.new`);
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o755 });
  for (const kind of ['asn', 'country'] as const) await keepFile(files[kind], join(fresh, names[kind]));
  await rm(place, { recursive: true, force: true });
  await rename(fresh, place);
  await syncFolder(join(root, 'sets'));
  return id;
}

/** The same bytes under another name; a copy where the file lies on another disk. */
async function keepFile(from: string, to: string): Promise<void> {
  const real = await realpath(from);
  await link(real, to).catch(() => copyFile(real, to));
  const file = await open(to, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(to));
}

/** Which set a path leads to; null: to none of ours. */
export async function setOf(root: string, path: string): Promise<string | null> {
  const [real, sets] = await Promise.all([realpath(path), realpath(join(root, 'sets'))]).catch(() => [
    '',
    '-',
  ]);
  return dirname(dirname(real ?? '')) === sets ? basename(dirname(real ?? '')) : null;
}

/** Makes these paths links to the set's files, each in one step. */
export async function pointAt(files: Paths, set: Paths): Promise<void> {
  for (const kind of ['asn', 'country'] as const) {
    const path = files[kind];
    const fresh = join(dirname(path), `.${basename(path)}.${process.pid}.link`);
    await rm(fresh, { force: true });
    await symlink(set[kind], fresh);
    await rename(fresh, path);
    await syncFolder(dirname(path));
  }
}

/** Removes all sets but these: licences of databases forbid to keep old ones for long. */
export async function dropSets(root: string, kept: readonly (string | null)[]): Promise<void> {
  for (const name of await readdir(join(root, 'sets')))
    if (!kept.includes(name)) await rm(join(root, 'sets', name), { recursive: true, force: true });
}

async function exists(path: string): Promise<boolean> {
  return open(path, 'r').then(
    async (file) => {
      await file.close();
      return true;
    },
    () => false,
  );
}
