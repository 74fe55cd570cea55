/** Reads a config file. The only file of the config that touches the disk. */
import { open, type FileHandle } from 'node:fs/promises';
import { problemAt, type Problem } from './problem.ts';
import { controlSocketIn, readConfig, type LoadResult } from './read.ts';

export type { LoadResult, ConfigRead } from './read.ts';
export type { Problem } from './problem.ts';

const mostBytes = 1_048_576;

/** Reads and checks the whole file. Never rejects: what cannot be read is a problem too. */
export async function loadConfig(path: string): Promise<LoadResult> {
  const text = await readText(path);
  return text.kind === 'ok' ? readConfig(path, text.text) : { kind: 'bad', problems: [text.problem] };
}

/** The control socket of a config that may be bad: a command that mends it must still find the daemon. Never rejects. */
export async function loadControlSocket(path: string): Promise<string | null> {
  const text = await readText(path);
  return text.kind === 'ok' ? controlSocketIn(text.text) : null;
}

type TextRead =
  | { readonly kind: 'ok'; readonly text: string }
  | { readonly kind: 'bad'; readonly problem: Problem };

async function readText(path: string): Promise<TextRead> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    if ((await file.stat()).isDirectory()) return unreadable(path, 'a directory');
    const bytes = await readBounded(file);
    if (bytes.length > mostBytes) return unreadable(path, 'more than 1 MiB');
    return { kind: 'ok', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    return unreadable(path, sayError(error));
  } finally {
    await file?.close();
  }
}

/** One byte more than allowed is enough to know. */
async function readBounded(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(mostBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function unreadable(file: string, found: string): TextRead {
  const allowed = 'a readable YAML file of at most 1 MiB in UTF-8; -c FILE names another';
  const said = `found ${found}, allowed: ${allowed}`;
  return {
    kind: 'bad',
    problem: problemAt(file, { line: 1, column: 1 }, { path: '', found, allowed, said }),
  };
}

function sayError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'no such file (ENOENT)';
    case 'EACCES':
      return 'a file that this user may not read (EACCES)';
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'bytes that are not UTF-8';
    default:
      return `an error on reading it (${code === '' ? error.message : code})`;
  }
}
