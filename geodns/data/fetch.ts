/** New databases into a folder of ours: from another folder, by HTTP, or by the operator's command. */
import { copyFile, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { RefreshConfig } from './config.ts';
import type { Paths } from './judge-run.ts';
import { pathsIn } from './sets.ts';
import { messageOf } from '../../src/types/message-of.ts';

export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code = 'geoip-not-fetched';
}

const mostBytes = 400_000_000;
const patienceMillis = 600_000;

/** Rejects with a FetchError; `signal` ends it early. */
export async function fetchDatabases(
  source: RefreshConfig['source'],
  root: string,
  signal: AbortSignal,
): Promise<Paths> {
  const into = join(root, 'incoming');
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true, mode: 0o755 });
  const files = pathsIn(into);
  try {
    if (source.folder !== undefined) await copyFrom(pathsIn(source.folder), files);
    if (source.urls !== undefined)
      for (const kind of ['asn', 'country'] as const) await download(source.urls[kind], files[kind], signal);
    if (source.command !== undefined) await runCommand(source.command, into, signal);
    for (const path of [files.asn, files.country])
      if ((await stat(path)).size > mostBytes) throw new Error(`${path} is larger than ${mostBytes} bytes`);
  } catch (error) {
    const why = messageOf(error);
    throw new FetchError(`new databases could not be fetched: ${why}`, { cause: error });
  }
  return files;
}

async function copyFrom(from: Paths, to: Paths): Promise<void> {
  await copyFile(from.asn, to.asn);
  await copyFile(from.country, to.country);
}

async function download(url: string, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMillis)]),
  });
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
  const file = await open(path, 'w', 0o644);
  try {
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > mostBytes) throw new Error(`${url} sends more than ${mostBytes} bytes`);
      await file.write(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

async function runCommand(command: readonly string[], into: string, signal: AbortSignal): Promise<void> {
  const [program = '', ...args] = command;
  await execa(program, args, {
    env: { CAUSEWAY_GEOIP_INTO: into },
    stdin: 'ignore',
    timeout: patienceMillis,
    cancelSignal: signal,
    forceKillAfterDelay: 1000,
    maxBuffer: 100_000,
  });
}
