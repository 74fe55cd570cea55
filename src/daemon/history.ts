/**
 * The daemon's history: each event gets an id and its times, goes to the disk beside the tick, to whoever follows, and
 * into a memory of the latest, so that most questions need no disk.
 */
import { join } from 'node:path';
import {
  historyFolder,
  historyPrefix,
  matches,
  readEntry,
  readHistoryFiles,
} from '../store/history-files.ts';
import { openSegments, type SegmentLog } from '../store/segments.ts';
import type { HistoryEvent, HistoryQuery, HistoryReader } from '../types/history.ts';
import type { Instant } from '../types/units.ts';
import type { HistoryEntry } from '../types/wire/history.ts';
import type { Alarm } from './alarms.ts';
import { bootId } from './checkpoint.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { type HistoryWriter, startHistoryWriter } from './history-writer.ts';

export interface History extends HistoryReader {
  /** Never waits and never throws. */
  readonly tell: (event: HistoryEvent) => void;
  /** An alarm where the disk does not take the entries. */
  alarms(): readonly Alarm[];
  /** How many follow. */
  followers(): number;
  /** Writes what waits, for a second at most. */
  close(): Promise<void>;
}

export interface HistoryOptions {
  /** Made where it is missing. */
  readonly folder: string;
  readonly bootId: string;
  readonly now: () => Instant;
  /** ISO 8601. */
  readonly wallTime: () => string;
  /** For tests; what the daemon uses stands below. */
  readonly limits?: Partial<typeof usualLimits>;
}

/** 32 files of half a megabyte; an entry has some 400 bytes. */
const usualLimits = {
  segmentBytes: 512 * 1024,
  segmentEntries: 4096,
  segments: 32,
  waitingAtMost: 4096,
  retryMillis: 1000,
};
const recentEntries = 2000;
/** Longer sentences are cut: one entry must not fill the file. */
const longestText = 2000;
const closeMillis = 1000;

/** The history of the daemon whose state is in `stateFolder`. */
export async function openDaemonHistory(stateFolder: string): Promise<History> {
  const folder = join(stateFolder, historyFolder);
  return openHistory({ folder, bootId: await bootId(), now: monotonicNow, wallTime: wallTimeNow });
}

/** Opens the history. A folder that cannot be read or written does not stop the start: it is tried again. */
export async function openHistory(options: HistoryOptions): Promise<History> {
  const { folder } = options;
  const limits = { ...usualLimits, ...options.limits };
  const recent: HistoryEntry[] = [];
  let log: SegmentLog | null = null;
  try {
    const opened = await openSegments(folder, historyPrefix, limits);
    log = opened.log;
    recent.push(...opened.latest.flatMap(readEntry).slice(-recentEntries));
  } catch {
    // The writer tries again and tells why it cannot.
  }
  return new Told(options, limits, log, recent);
}

class Told implements History {
  readonly #options: HistoryOptions;
  readonly #writer: HistoryWriter;
  readonly #recent: HistoryEntry[];
  readonly #followers = new Set<(entry: HistoryEntry) => void>();
  /** Greater than any before it, also than those that a full disk did not take: the clock ran on since. */
  #lastId: number;

  constructor(
    options: HistoryOptions,
    limits: typeof usualLimits,
    log: SegmentLog | null,
    recent: HistoryEntry[],
  ) {
    this.#options = options;
    this.#recent = recent;
    this.#lastId = Math.max(recent.at(-1)?.id ?? 0, Date.parse(options.wallTime()) - 1);
    this.#writer = startHistoryWriter({
      ...limits,
      limits,
      folder: options.folder,
      prefix: historyPrefix,
      log,
      dropped: (count, id) => ({ ...this.#stamped(droppedEvent(count)), id }),
    });
  }

  readonly tell = (event: HistoryEvent): void => {
    const entry = this.#stamped(event);
    this.#recent.push(entry);
    if (this.#recent.length > recentEntries) this.#recent.shift();
    this.#writer.put(entry);
    for (const follower of this.#followers) follower(entry);
  };

  follow(listener: (entry: HistoryEntry) => void): () => void {
    this.#followers.add(listener);
    return () => this.#followers.delete(listener);
  }

  async read(query: HistoryQuery): Promise<readonly HistoryEntry[]> {
    const held = [...this.#recent];
    const found = held.filter((entry) => matches(entry, query)).reverse();
    const oldest = held[0]?.id ?? Infinity;
    const enough = found.length >= query.limit || (query.afterId !== undefined && query.afterId >= oldest);
    if (!enough) found.push(...(await this.#fromFiles(query, oldest, query.limit - found.length)));
    return found.slice(0, query.limit).reverse();
  }

  followers(): number {
    return this.#followers.size;
  }

  alarms(): readonly Alarm[] {
    const trouble = this.#writer.trouble();
    if (trouble === null) return [];
    const text = `${trouble}; the history waits in memory and is written when the disk takes it again`;
    return [{ code: 'history-behind', text }];
  }

  close(): Promise<void> {
    return this.#writer.close(closeMillis);
  }

  /** Newest first. A folder that cannot be read has nothing to add; the alarm says why. */
  async #fromFiles(query: HistoryQuery, beforeId: number, wanted: number): Promise<HistoryEntry[]> {
    try {
      return await readHistoryFiles(this.#options.folder, { ...query, limit: wanted }, beforeId);
    } catch {
      return [];
    }
  }

  #stamped(event: HistoryEvent): HistoryEntry {
    this.#lastId += 1;
    const { now, wallTime, bootId: boot } = this.#options;
    return {
      ...event,
      reason: cut(event.reason),
      text: cut(event.text),
      id: this.#lastId,
      at: wallTime(),
      monotonicMillis: Math.round(now()),
      bootId: boot,
    };
  }
}

function droppedEvent(count: number): HistoryEvent {
  const text = `${count} entries before this one were not kept: the disk did not take them in time`;
  return { kind: 'dropped', author: 'causeway', reason: 'history-behind', text, count };
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
}
