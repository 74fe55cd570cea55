/** What `causeway doctor` looks at on the disk: the state folder, the owned file's folder, room and inodes. */
import { access, constants, statfs } from 'node:fs/promises';
import type { NodeConfig } from '../types/config.ts';
import { type DaemonUser, mayWrite, statOrNull } from './daemon-user.ts';
import { type Check, type Finding, finding } from './doctor.ts';

export interface DiskContext {
  readonly user: () => Promise<DaemonUser>;
}

/** History 16 MB, recordings apart, the owned file a few times: below the first nothing is sure to fit, below the second soon. */
const fullBytes = 8 * 1024 * 1024;
const lowBytes = 64 * 1024 * 1024;
const fewInodes = 100;

const whyState = 'overrides, freeze, history and the last confirmed text are kept there';
const whyFile =
  'the owned file lags behind the wish (file-behind), and a `configure` by anybody undoes what was decided';

export function diskChecks(config: NodeConfig): readonly Check<DiskContext>[] {
  const { state } = config.paths;
  // Both are absolute paths.
  const owned = config.bird.config.slice(0, config.bird.config.lastIndexOf('/')) || '/';
  const folders = [
    { id: 'disk.state', title: `state folder ${state}`, path: state, why: whyState, mode: '0750' },
    { id: 'disk.file', title: `folder of the owned file ${owned}`, path: owned, why: whyFile, mode: '2770' },
  ];
  return folders.map((folder) => ({
    id: folder.id,
    title: folder.title,
    run: ({ user }) => folderFinding(folder, user, config.mode === 'live' || folder.id === 'disk.state'),
  }));
}

interface Folder {
  readonly id: string;
  readonly path: string;
  readonly why: string;
  readonly mode: string;
}

/** The ladder: the first that is wrong is the finding. */
async function folderFinding(
  folder: Folder,
  user: () => Promise<DaemonUser>,
  isWritten: boolean,
): Promise<Finding> {
  const { path } = folder;
  const found = await statOrNull(path);
  if (found === null || !found.isDirectory()) return missing(folder, isWritten);
  if (!isWritten) return { kind: 'ok', text: `${path} is there; mode observe writes nothing into it` };
  const who = await user();
  const readOnly = await access(path, constants.W_OK).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EROFS',
  );
  if (readOnly)
    return finding('disk-read-only', {
      what: `the file system of ${path} is read-only`,
      why: folder.why,
      mend: `dmesg | tail -n 50  # why the kernel did so; then: mount -o remount,rw "$(stat -c %m ${path})"`,
    });
  if (!mayWrite(who, found))
    return finding(folder.id === 'disk.state' ? 'state-locked' : 'file-locked', {
      what: `${path} cannot be written by user ${who.name} (${who.uid})`,
      why: folder.why,
      mend: `chgrp causeway ${path} && chmod ${folder.mode} ${path}`,
    });
  return roomFinding(folder);
}

function missing({ id, path, why, mode }: Folder, isWritten: boolean): Finding {
  if (!isWritten) return { kind: 'skipped', text: `${path} is not there, and mode observe does not need it` };
  const group = id === 'disk.state' ? 'causeway' : 'bird';
  return finding(id === 'disk.state' ? 'state-missing' : 'file-locked', {
    what: `${path} is not there`,
    why,
    mend: `install -d -o causeway -g ${group} -m ${mode} ${path}`,
  });
}

async function roomFinding({ path, why }: Folder): Promise<Finding> {
  const { bavail, bsize, ffree, files } = await statfs(path);
  const bytes = bavail * bsize;
  const room = `${Math.floor(bytes / 1024 / 1024)} MiB free for ${path}`;
  const mend = `df -h ${path}; journalctl --vacuum-size=200M  # or what else fills it`;
  if (bytes < fullBytes) return finding('disk-full', { what: room, why, mend });
  if (bytes < lowBytes) return finding('disk-low', { what: room, why, mend });
  // Some file systems count none.
  if (files > 0 && ffree < fewInodes)
    return finding('inodes-low', {
      what: `${ffree} inodes free for ${path}`,
      why,
      mend: `df -i ${path}  # then remove what has made so many files`,
    });
  return { kind: 'ok', text: room };
}
