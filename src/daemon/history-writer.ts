/**
 * Brings entries to the disk beside the tick. What cannot be written waits in a bounded queue and is tried again each
 * second; when the queue is full the oldest go, and an entry then says how many. Nothing here ever throws or blocks.
 */
import { openSegments, type SegmentLimits, type SegmentLog } from '../store/segments.ts';
import { messageOf } from '../types/message-of.ts';
import type { HistoryEntry } from '../types/wire/history.ts';
import { pause } from './pause.ts';

export interface HistoryWriter {
  /** Takes an entry; it is written as soon as the disk takes it. */
  put(entry: HistoryEntry): void;
  /** What is wrong with the disk; null: all is written, or about to be. */
  trouble(): string | null;
  /** Resolves when all that waits is written, or after `limitMillis`; then the file is closed. */
  close(limitMillis: number): Promise<void>;
}

export interface WriterOptions {
  readonly folder: string;
  readonly prefix: string;
  readonly limits: SegmentLimits;
  /** Already open; null: it could not be opened, and is tried again. */
  readonly log: SegmentLog | null;
  /** Makes the entry that says how many were dropped, with the id of the last of them. */
  readonly dropped: (count: number, id: number) => HistoryEntry;
  readonly waitingAtMost: number;
  readonly retryMillis: number;
}

const batchEntries = 256;

export function startHistoryWriter(options: WriterOptions): HistoryWriter {
  return new Writer(options);
}

class Writer implements HistoryWriter {
  readonly #options: WriterOptions;
  readonly #waiting: HistoryEntry[] = [];
  #log: SegmentLog | null;
  #dropped = 0;
  #trouble: string | null = null;
  #work: Promise<void> | null = null;
  #retry: ReturnType<typeof setTimeout> | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  put(entry: HistoryEntry): void {
    this.#waiting.push(entry);
    const surplus = this.#waiting.length - this.#options.waitingAtMost;
    if (surplus > 0) {
      this.#waiting.splice(0, surplus);
      this.#dropped += surplus;
    }
    this.#go();
  }

  trouble(): string | null {
    if (this.#trouble !== null || this.#waiting.length < this.#options.waitingAtMost / 2)
      return this.#trouble;
    return `${this.#options.folder}: a write does not end`;
  }

  async close(limitMillis: number): Promise<void> {
    await Promise.race([this.#lastTry(), pause(limitMillis)]);
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
  }

  async #lastTry(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#go();
    await this.#work;
    await this.#log?.close();
  }

  #go(): void {
    if (this.#work !== null || this.#retry !== null || this.#waiting.length === 0) return;
    this.#work = this.#write().finally(() => {
      this.#work = null;
    });
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeBatch();
      this.#trouble = null;
    } catch (error) {
      this.#trouble = `${this.#options.folder}: ${messageOf(error)}`;
      this.#retry = setTimeout(() => {
        this.#retry = null;
        this.#go();
      }, this.#options.retryMillis);
    }
  }

  /** Entries leave the queue only when they are on the disk; those dropped meanwhile were the oldest of it. */
  async #writeBatch(): Promise<void> {
    const { folder, prefix, limits } = this.#options;
    this.#log ??= (await openSegments(folder, prefix, limits)).log;
    const lost = this.#dropped;
    const batch = this.#waiting.slice(0, batchEntries);
    const lastLost = (batch[0]?.id ?? 1) - 1;
    await this.#log.append(lost > 0 ? [this.#options.dropped(lost, lastLost), ...batch] : batch);
    this.#dropped -= lost;
    const last = batch.at(-1)?.id ?? 0;
    const found = this.#waiting.findIndex(({ id }) => id > last);
    const left = found === -1 ? this.#waiting.length : found;
    this.#waiting.splice(0, left);
    // Those that the queue dropped while they were being written are not lost after all.
    this.#dropped -= batch.length - left;
  }
}
