/**
 * Removes everything of a lab: processes in its namespaces, the namespaces with their links, the folder. Synchronous,
 * because it must also work in an exit handler, where nothing that waits would run any more.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { labFolder, labOfNamespace } from './names.ts';
import { isOwnerAlive, labIds } from './owner.ts';
import { readPidFile, signalProcess } from './process.ts';

export interface Removed {
  readonly lab: string;
  readonly processes: number;
  readonly namespaces: number;
}

/** Removes one lab, whoever owns it; safe to repeat. */
export function removeLab(id: string): Removed {
  const mine = namespacesOf(id);
  // A recorded one may live in a namespace, and still be there a moment after its end.
  const ended = new Set([...endRecorded(id), ...mine.flatMap((namespace) => [...endInside(namespace)])]);
  for (const namespace of mine) quiet('ip', ['netns', 'del', namespace]);
  for (const mount of mountsBelow(labFolder(id))) quiet('umount', ['-l', mount]);
  rmSync(labFolder(id), { recursive: true, force: true });
  return { lab: id, processes: ended.size, namespaces: mine.length };
}

/** Removes the labs whose owner is gone: those with a folder, and namespaces that lost theirs. */
export function removeDeadLabs(): readonly Removed[] {
  const orphans = listNamespaces().map((name) => labOfNamespace(name));
  const ids = new Set([...labIds(), ...orphans.filter((id) => id !== null)]);
  return [...ids].filter((id) => !isOwnerAlive(id)).map((id) => removeLab(id));
}

/** Names of all network namespaces of the machine. */
export function listNamespaces(): readonly string[] {
  return quiet('ip', ['netns', 'list'])
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name !== '');
}

/** Inode numbers of a lab's namespaces, by which processes in them are found even when the names are gone. */
export function namespaceInodes(id: string): readonly number[] {
  return namespacesOf(id).map((name) => statSync(`/run/netns/${name}`).ino);
}

function namespacesOf(id: string): readonly string[] {
  return listNamespaces().filter((name) => labOfNamespace(name) === id);
}

/** Processes that live in namespaces of these inodes. */
export function processesInside(inodes: readonly number[]): readonly number[] {
  const links = new Set(inodes.map((inode) => `net:[${inode}]`));
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0 && links.has(namespaceOfProcess(pid)));
}

function namespaceOfProcess(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return '';
  }
}

/** Processes that run outside the namespaces (socket proxies); their pid files are in the folder. */
function endRecorded(id: string): readonly number[] {
  const ended: number[] = [];
  for (const file of folderFiles(id)) {
    if (!file.endsWith('.pid')) continue;
    const ref = readPidFile(join(labFolder(id), file));
    if (ref === null) continue;
    signalProcess(ref, 'SIGKILL');
    ended.push(ref.pid);
  }
  return ended;
}

/** A lab may mount small disks in its folder. */
function mountsBelow(folder: string): readonly string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((mount) => mount.startsWith(`${folder}/`));
}

function folderFiles(id: string): readonly string[] {
  try {
    return readdirSync(labFolder(id));
  } catch {
    return [];
  }
}

/** Kills what runs in a namespace until nothing does; a process may fork while we look. */
function endInside(namespace: string): ReadonlySet<number> {
  const seen = new Set<number>();
  for (let round = 0; round < 50; round += 1) {
    const pids = quiet('ip', ['netns', 'pids', namespace])
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 1 && pid !== process.pid && !isZombie(pid));
    if (pids.length === 0) break;
    for (const pid of pids) {
      seen.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended in between.
      }
    }
  }
  return seen;
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

function quiet(file: string, args: readonly string[]): string {
  try {
    return execFileSync(file, [...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
