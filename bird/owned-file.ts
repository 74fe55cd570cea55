/**
 * The one file that Causeway owns in BIRD's configuration: read, written whole or not at all, checked by `bird -p`.
 * It is in BIRD's group and not for others, because it holds the sessions' passwords.
 */
import { open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';

/** The file could not be read or written. A failed write leaves the file that was there, unless only the last fsync failed. */
export class OwnedFileError extends Error {
  override readonly name = 'OwnedFileError';
  /** The errno. */
  readonly code: string;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.code = errnoOf(cause);
  }
}

/** The file's text. Throws OwnedFileError; a missing file is code `ENOENT`. */
export async function readOwned(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new OwnedFileError(`${path} cannot be read (${errnoOf(error)})`, error);
  }
}

/** Replaces the file: temporary file beside it, fsync, rename, fsync of the directory. Throws OwnedFileError. */
export async function writeOwned(path: string, text: string): Promise<void> {
  const staged = await stageOwned(path, text);
  await swapOwned(staged, path);
}

/** Writes the text beside the file, mode 0640 and with the directory's group, and gives the path of it. Throws OwnedFileError. */
export async function stageOwned(path: string, text: string): Promise<string> {
  // A dot file: `include "*.conf"` of BIRD does not take it.
  const staged = join(dirname(path), `.${basename(path)}.${process.pid}.${(count += 1)}.new`);
  try {
    const { gid } = await stat(dirname(path));
    const file = await open(staged, 'wx', 0o640);
    try {
      // The umask may have taken bits away; the group comes before the content does.
      await file.chmod(0o640);
      if ((await file.stat()).gid !== gid) await file.chown(-1, gid);
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    return staged;
  } catch (error) {
    await discardStaged(staged);
    throw unwritten(path, error);
  }
}

/** Puts a staged file in the place of the owned one, for good. Throws OwnedFileError. */
export async function swapOwned(staged: string, path: string): Promise<void> {
  try {
    await rename(staged, path);
    const directory = await open(dirname(path), 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    await discardStaged(staged);
    throw unwritten(path, error);
  }
}

/** Removes a staged file, if it is still there. */
export async function discardStaged(staged: string): Promise<void> {
  await unlink(staged).catch(() => undefined);
}

/** Removes what a process that died left staged beside the owned file. Throws nothing. */
export async function removeStale(path: string): Promise<void> {
  const folder = dirname(path);
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    const [, pid] = name.startsWith(`.${basename(path)}.`) ? (/\.(\d+)\.\d+\.new$/.exec(name) ?? []) : [];
    if (pid === undefined || Number(pid) === process.pid) continue;
    const isAlive = await stat(`/proc/${pid}`).then(
      () => true,
      () => false,
    );
    if (!isAlive) await discardStaged(join(folder, name));
  }
}

export type SyntaxCheck =
  | { readonly kind: 'ok' }
  /** Place in the file where BIRD named one. */
  | {
      readonly kind: 'refused';
      readonly line: number | null;
      readonly column: number | null;
      readonly text: string;
    }
  /** A crash of the parser, or SIGTERM after 10 s. */
  | { readonly kind: 'died'; readonly signal: string }
  | { readonly kind: 'no-bird'; readonly text: string };

export interface SyntaxCheckOptions {
  /** A path, or a name that is looked up in PATH and the system's sbin folders. */
  readonly binary: string;
  /** Whom to check as, where we are root: BIRD reads its files as its own user. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

const checkLimitMillis = 10_000;

/** What `bird -p` says of a file, in a process of its own: some texts crash BIRD's parser, and that must not be the daemon's. */
export async function checkSyntax(path: string, options: SyntaxCheckOptions): Promise<SyntaxCheck> {
  const { binary, user } = options;
  const result = await execa(binary, ['-p', '-c', path], {
    timeout: checkLimitMillis,
    reject: false,
    stdin: 'ignore',
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` },
    ...user,
  });
  if (result.signal !== undefined) return { kind: 'died', signal: result.signal };
  if (result.exitCode === undefined)
    return { kind: 'no-bird', text: `${binary} cannot be run (${result.code ?? result.shortMessage})` };
  return result.exitCode === 0 ? { kind: 'ok' } : refusal(`${result.stderr}\n${result.stdout}`);
}

/** The line that names a place: of several the last, since warnings look alike and come before. */
function refusal(output: string): SyntaxCheck {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const place = /^(?:bird: )?(?:\S+ \S+ \[\d+\] <\w+> )?(.+?):(\d+):(\d+):? (.*)$/;
  const found = lines.map((line) => place.exec(line)).findLast((match) => match !== null);
  if (found === undefined)
    return { kind: 'refused', line: null, column: null, text: lines.at(-1) ?? 'no output' };
  return { kind: 'refused', line: Number(found[2]), column: Number(found[3]), text: found[4] ?? '' };
}

function unwritten(path: string, cause: unknown): OwnedFileError {
  const why = `${path} cannot be written (${errnoOf(cause)})`;
  return new OwnedFileError(`${why}: its directory has to exist and be writable for Causeway`, cause);
}

let count = 0;

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
