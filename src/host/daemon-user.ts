/** Who the daemon runs as: the user and groups that the package made, else those of this process; and what they may write. */
import { readFile, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';

export interface DaemonUser {
  /** For people: `causeway`, or `of this process`. */
  readonly name: string;
  readonly uid: number;
  /** Its primary group. */
  readonly gid: number;
  readonly groups: ReadonlySet<number>;
}

export interface UserFiles {
  /** `/etc/passwd` */
  readonly passwd: string;
  /** `/etc/group` */
  readonly group: string;
}

/** Never rejects: files that cannot be read name nobody. */
export async function readDaemonUser({ passwd, group }: UserFiles): Promise<DaemonUser> {
  const users = await readFile(passwd, 'utf8').catch(() => '');
  const groups = await readFile(group, 'utf8').catch(() => '');
  const [, uid, gid] = /^causeway:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined || gid === undefined) return thisProcess();
  const named = groups.split('\n').flatMap((line) => {
    const [, , id, members = ''] = line.split(':');
    return members.split(',').includes('causeway') ? [Number(id)] : [];
  });
  return { name: 'causeway', uid: Number(uid), gid: Number(gid), groups: new Set([Number(gid), ...named]) };
}

function thisProcess(): DaemonUser {
  const gid = process.getegid?.() ?? 0;
  return {
    name: 'of this process',
    uid: process.geteuid?.() ?? 0,
    gid,
    groups: new Set([gid, ...(process.getgroups?.() ?? [])]),
  };
}

/** Whether the mode bits let the user write; ACLs and read-only mounts are not looked at here. */
export function mayWrite({ uid, groups }: DaemonUser, file: Pick<Stats, 'uid' | 'gid' | 'mode'>): boolean {
  if (uid === 0) return true;
  if (file.uid === uid) return (file.mode & 0o200) !== 0;
  if (groups.has(file.gid)) return (file.mode & 0o020) !== 0;
  return (file.mode & 0o002) !== 0;
}

/** null: it is not there, or cannot be looked at. */
export async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}
