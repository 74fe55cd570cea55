/**
 * An append-only log of bounded size: a folder of journals, the newest of which grows and the oldest of which goes.
 * Each file is named for the id of its first entry, so that the order of names is the order of entries.
 *
 *     history-000001796000000000.log   full, never written again
 *     history-000001796000004096.log   the newest: appended to, torn at most at its end
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Journal, openJournal } from './journal.ts';
import { type JournalRead, readJournal } from './journal-text.ts';

export interface SegmentLimits {
  /** A file that has reached one of these is full. */
  readonly segmentBytes: number;
  readonly segmentEntries: number;
  /** Files that are kept, the newest included. */
  readonly segments: number;
}

export interface SegmentLog {
  /** Resolves when all of them are on the disk. Rejects when they cannot be; the files are then as before. */
  append(entries: readonly { readonly id: number }[]): Promise<void>;
  close(): Promise<void>;
}

interface Open {
  readonly journal: Journal;
  entries: number;
}

/**
 * Opens the log in `folder`, which is made where it is missing, and goes on in the newest file behind its last whole
 * entry. `prefix` begins the names of its files. `latest` are the entries of the newest file that has some: a crash may
 * leave one that has none yet. One process at a time writes.
 */
export async function openSegments(
  folder: string,
  prefix: string,
  limits: SegmentLimits,
): Promise<{ readonly log: SegmentLog; readonly latest: readonly unknown[] }> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const last = (await segmentNames(folder, prefix)).at(-1);
  if (last === undefined) return { log: new Segments(folder, prefix, limits, null), latest: [] };
  const { journal, read } = await openJournal(join(folder, last));
  const log = new Segments(folder, prefix, limits, { journal, entries: read.entries.length });
  if (read.entries.length > 0) return { log, latest: read.entries };
  for await (const { entries } of readSegments(folder, prefix))
    if (entries.length > 0) return { log, latest: entries };
  return { log, latest: [] };
}

class Segments implements SegmentLog {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #limits: SegmentLimits;
  #open: Open | null;

  constructor(folder: string, prefix: string, limits: SegmentLimits, open: Open | null) {
    this.#folder = folder;
    this.#prefix = prefix;
    this.#limits = limits;
    this.#open = open;
  }

  async append(entries: readonly { readonly id: number }[]): Promise<void> {
    const first = entries[0];
    if (first === undefined) return;
    const open = await this.#roomFor(first.id);
    await open.journal.appendAll(entries);
    open.entries += entries.length;
  }

  async close(): Promise<void> {
    await this.#open?.journal.close();
    this.#open = null;
  }

  async #roomFor(firstId: number): Promise<Open> {
    const { segmentBytes, segmentEntries } = this.#limits;
    const now = this.#open;
    if (now !== null && now.journal.sizeBytes() < segmentBytes && now.entries < segmentEntries) return now;
    const name = `${this.#prefix}-${String(firstId).padStart(18, '0')}.log`;
    const { journal, read } = await openJournal(join(this.#folder, name));
    this.#open = { journal, entries: read.entries.length };
    await now?.journal.close();
    await this.#dropOldest();
    return this.#open;
  }

  async #dropOldest(): Promise<void> {
    const names = await segmentNames(this.#folder, this.#prefix);
    const surplus = names.slice(0, Math.max(0, names.length - this.#limits.segments));
    await Promise.all(surplus.map((name) => rm(join(this.#folder, name), { force: true })));
  }
}

/** Names of the log's files, oldest first. */
async function segmentNames(folder: string, prefix: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(`${prefix}-`) && name.endsWith('.log')).sort();
}

/** One file's entries. */
export interface SegmentRead extends JournalRead {
  readonly path: string;
}

/**
 * Reads the files newest first, one at a time, beside a writer or without one; a torn tail is left out and nothing is
 * changed. A file that goes meanwhile is left out. Rejects where the folder or a file cannot be read.
 */
export async function* readSegments(folder: string, prefix: string): AsyncGenerator<SegmentRead> {
  for (const name of [...(await segmentNames(folder, prefix))].reverse()) {
    const path = join(folder, name);
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (bytes !== null) yield { path, ...readJournal(bytes) };
  }
}
