/**
 * Recordings in a folder of bounded size: when a file is full the next one begins, and the oldest go. A disk that does
 * not take them costs the recording alone: it is an alarm, and a new file is tried each few seconds.
 */
import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../types/message-of.ts';
import type { RecordingSink } from '../types/recording.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { Alarm } from './alarms.ts';

/** In the state folder. */
export const recordingFolder = 'record';
const extension = '.cwr';
/** Of the whole size that one file takes. */
const fileShare = 1 / 8;
const gatherMillis = 10_000;
const retryMillis = 5000;
/** Bytes that wait for a slow disk; more are given up. */
const mostWaitingBytes = 4 * 1024 * 1024;

export interface RecordingFiles extends RecordingSink {
  /** Resolves when all that was put is on its way to the disk, or given up. */
  written(): Promise<void>;
  alarms(): readonly Alarm[];
}

export interface RecordingFilesOptions {
  readonly folder: string;
  /** All files together stay below it. */
  readonly sizeBytes: number;
  readonly now: () => Instant;
  /** Names the files: wall time in ms. */
  readonly wallMillis: () => number;
  readonly retryMillis?: number;
}

export function recordToFiles(options: RecordingFilesOptions): RecordingFiles {
  return new Files(options);
}

class Files implements RecordingFiles {
  readonly gatherMillis = gatherMillis;
  readonly #options: RecordingFilesOptions;
  #path = '';
  #brokenPath = '';
  #bytes = 0;
  #waitingBytes = 0;
  #work: Promise<void> = Promise.resolve();
  #trouble: string | null = null;
  #troubleAt: Instant | null = null;

  constructor(options: RecordingFilesOptions) {
    this.#options = options;
  }

  put(bytes: Uint8Array, begins: boolean): 'on' | 'anew' {
    const { folder, sizeBytes, now, wallMillis } = this.#options;
    if (begins) {
      this.#path = join(folder, `record-${String(wallMillis()).padStart(15, '0')}${extension}`);
      this.#bytes = 0;
      this.#troubleAt = null;
    }
    if (this.#troubleAt !== null)
      return elapsed(this.#troubleAt, now()) < (this.#options.retryMillis ?? retryMillis) ? 'on' : 'anew';
    if (this.#waitingBytes > mostWaitingBytes) {
      this.#fail(`${this.#path}: the disk is too slow`);
      return 'on';
    }
    this.#write(this.#path, bytes, begins);
    return this.#bytes >= sizeBytes * fileShare ? 'anew' : 'on';
  }

  written(): Promise<void> {
    return this.#work;
  }

  alarms(): readonly Alarm[] {
    if (this.#trouble === null) return [];
    return [
      { code: 'recording-failed', text: `${this.#trouble}; nothing is recorded until the disk takes it` },
    ];
  }

  #write(path: string, bytes: Uint8Array, begins: boolean): void {
    this.#bytes += bytes.length;
    this.#waitingBytes += bytes.length;
    this.#work = this.#append(this.#work, path, bytes, begins);
  }

  async #append(before: Promise<void>, path: string, bytes: Uint8Array, begins: boolean): Promise<void> {
    await before;
    this.#waitingBytes -= bytes.length;
    // Behind what is missing nothing can be read.
    if (path === this.#brokenPath) return;
    try {
      if (begins) await this.#makeRoom();
      await appendFile(path, bytes, { mode: 0o640 });
      this.#trouble = null;
    } catch (error) {
      this.#brokenPath = path;
      this.#fail(`${path}: ${messageOf(error)}`);
    }
  }

  #fail(text: string): void {
    this.#trouble = text;
    this.#troubleAt ??= this.#options.now();
  }

  /** Removes the oldest files until a full one has room; its last block goes beyond its share. */
  async #makeRoom(): Promise<void> {
    const { folder, sizeBytes } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o750 });
    const names = (await readdir(folder)).filter((name) => name.endsWith(extension)).sort();
    const files = await Promise.all(
      names.map(async (name) => ({ path: join(folder, name), bytes: (await stat(join(folder, name))).size })),
    );
    let left = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files) {
      if (left <= sizeBytes * (1 - 2 * fileShare)) return;
      await rm(path, { force: true });
      left -= bytes;
    }
  }
}
