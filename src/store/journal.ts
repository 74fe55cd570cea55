/**
 * An append-only file of JSON entries that survives kill -9, a power cut in the middle of a write and a full disk.
 * An entry counts once `append` has resolved: it is then on the disk (fdatasync), and acting on it may begin.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeAtomic } from './atomic-file.ts';
import { type JournalRead, journalLine, readJournal } from './journal-text.ts';

export interface Journal {
  /** Resolves when the entry is on the disk; rejects, and leaves the file as it was, when it cannot be. */
  append(entry: unknown): Promise<void>;
  /** The same for several: all of them are on the disk, or none is in the file. */
  appendAll(entries: readonly unknown[]): Promise<void>;
  /** Replaces the whole by these entries (a snapshot), atomically, behind the appends asked for before and ahead of those after. */
  compact(entries: readonly unknown[]): Promise<void>;
  readonly sizeBytes: () => number;
  close(): Promise<void>;
}

type Task =
  | { readonly kind: 'append'; readonly line: string; readonly done: () => void; readonly failed: Failed }
  | {
      readonly kind: 'alone';
      readonly work: () => Promise<void>;
      readonly done: () => void;
      readonly failed: Failed;
    };
type Append = Extract<Task, { kind: 'append' }>;
type Failed = (error: unknown) => void;

/** Opens or creates the journal; a torn tail is cut off. One process at a time: the caller sees to that. */
export async function openJournal(path: string): Promise<{ journal: Journal; read: JournalRead }> {
  const handle = await open(path, 'a+', 0o640);
  const read = readJournal(await readFile(path));
  if (read.tornBytes > 0) {
    await handle.truncate(read.goodBytes);
    await handle.sync();
  }
  await syncFolder(dirname(path));
  return { journal: journalOn(path, handle, read.goodBytes), read };
}

function journalOn(path: string, first: FileHandle, goodBytes: number): Journal {
  let handle = first;
  let size = goodBytes;
  const writeBatch = async (batch: readonly Append[]): Promise<void> => {
    const bytes = Buffer.from(batch.map((task) => task.line).join(''));
    await writeWhole(handle, bytes, size);
    size += bytes.length;
  };
  const replace = async (text: string): Promise<void> => {
    await writeAtomic(path, text);
    const old = handle;
    handle = await open(path, 'a+', 0o640);
    size = Buffer.byteLength(text);
    await old.close();
  };
  const enqueue = queueOn(writeBatch);
  const append = (line: string): Promise<void> =>
    new Promise((done, failed) => enqueue({ kind: 'append', line, done, failed }));
  const alone = (work: () => Promise<void>): Promise<void> =>
    new Promise((done, failed) => enqueue({ kind: 'alone', work, done, failed }));
  return {
    append: async (entry) => append(journalLine(entry)),
    appendAll: async (entries) => append(entries.map(journalLine).join('')),
    compact: (entries) => {
      const text = entries.map(journalLine).join('');
      return alone(() => replace(text));
    },
    sizeBytes: () => size,
    close: () => alone(() => handle.close()),
  };
}

/** Tasks in the order asked for; appends that stand together share one write and one sync. */
function queueOn(writeBatch: (batch: readonly Append[]) => Promise<void>): (task: Task) => void {
  const tasks: Task[] = [];
  let running = false;
  const step = async (task: Task): Promise<void> => {
    const batch = task.kind === 'append' ? [task, ...leadingAppends(tasks)] : [task];
    try {
      await (task.kind === 'append' ? writeBatch(batch.filter((one) => one.kind === 'append')) : task.work());
      for (const one of batch) one.done();
    } catch (error) {
      for (const one of batch) one.failed(error);
    }
  };
  const run = async (): Promise<void> => {
    running = true;
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) await step(task);
    running = false;
  };
  return (task) => {
    tasks.push(task);
    if (!running) void run();
  };
}

function leadingAppends(tasks: Task[]): readonly Append[] {
  const other = tasks.findIndex((task) => task.kind !== 'append');
  return tasks.splice(0, other === -1 ? tasks.length : other).filter((task) => task.kind === 'append');
}

/** A write that fails half-way is taken back, so that the next line does not start in the middle of one. */
async function writeWhole(handle: FileHandle, bytes: Buffer, before: number): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; )
      at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
    await handle.datasync();
  } catch (error) {
    await handle.truncate(before).catch(() => undefined);
    throw error;
  }
}
