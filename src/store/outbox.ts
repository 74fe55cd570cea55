/**
 * What is to be told to somebody, of each key the newest, over restarts and kill -9: a journal of letters that are put and
 * acknowledged. A letter is in memory at once and on the disk a moment later; nobody waits for the disk longer than they
 * say, and after a fault the whole is written anew. Orders (epoch, seq) grow from letter to letter and start to start.
 *
 *     put {key, seq, value} … done {key, seq} …     newest of each key wins; compacted when much of it is old
 */
import { messageOf } from '../types/message-of.ts';
import { compareOrder, type Order } from '../types/wire/common.ts';
import type { Journal } from './journal.ts';
import type { JournalRead } from './journal-text.ts';
import { entryOf, type Folded, foldLetters, type Letter, type OutboxEntry } from './outbox-entries.ts';

export type { Letter } from './outbox-entries.ts';

export interface Outbox {
  /** The newest of each key, acknowledged or not. */
  letters(): ReadonlyMap<string, Letter>;
  /** Takes the place of any older letter of the key. */
  put(key: string, value: unknown): Letter;
  /** The letter was acknowledged; nothing happens where a newer one stands. */
  done(letter: Letter): void;
  /** The same letter is to be told again. */
  undone(key: string): void;
  forget(key: string): void;
  /** The highest order that was given; letters to come are above it. */
  order(): Order;
  /** Letters to come are above this too. */
  raise(order: Order): void;
  /** Resolves to whether all of it is on the disk, after `waitMillis` at the latest. */
  settled(waitMillis: number): Promise<boolean>;
  /** What keeps it from the disk; null: nothing. */
  trouble(): string | null;
  close(): Promise<void>;
}

export interface OutboxOptions {
  /** Opens the journal; asked again where it fails. */
  readonly open: () => Promise<{ readonly journal: Journal; readonly read: JournalRead }>;
  /** The order of this start, from the last one on the disk. */
  readonly start: (onDisk: Order | null) => Order;
  /** More than so many keys are not kept: the oldest that is acknowledged goes, else the oldest. */
  readonly keysAtMost: number;
  /** Timers; returns what cancels it. Left out: those of the machine. */
  readonly after?: After;
}

type After = (waitMillis: number, act: () => void) => () => void;

const compactAboveBytes = 256 * 1024;
const retryMillis = 1000;
const closeMillis = 1000;

/** Never rejects: what cannot be read or written is told by `trouble`, and tried again. */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const outbox = new KeptOutbox(options);
  await outbox.load();
  return outbox;
}

class KeptOutbox implements Outbox {
  readonly #options: OutboxOptions;
  #journal: Journal | null = null;
  #letters: ReadonlyMap<string, Letter> = new Map();
  #order: Order = { epoch: 0, seq: 0 };
  /** Not on the disk yet. */
  #waiting: OutboxEntry[] = [];
  #writing: Promise<void> | null = null;
  /** To write once more, when what is being written is over. */
  #isAsked = false;
  /** The journal may lack something: it is written whole the next time. */
  #isTorn = false;
  #trouble: string | null = null;
  #cancelRetry: (() => void) | null = null;
  readonly #after: After;
  #isClosed = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#after = options.after ?? realTimer;
  }

  async load(): Promise<void> {
    let onDisk: Order | null = null;
    try {
      const { journal, read } = await this.#options.open();
      this.#journal = journal;
      const found = lettersIn(read);
      this.#letters = found.letters;
      onDisk = found.order;
      this.#isTorn = read.damagedLines.length > 0;
    } catch (error) {
      this.#fail(error);
    }
    this.#order = this.#options.start(onDisk);
    this.#write({ kind: 'order', ...this.#order });
  }

  letters(): ReadonlyMap<string, Letter> {
    return this.#letters;
  }

  order(): Order {
    return this.#order;
  }

  put(key: string, value: unknown): Letter {
    this.#makeRoom(key);
    this.#order = { ...this.#order, seq: this.#order.seq + 1 };
    const letter: Letter = { key, order: this.#order, value, isDone: false };
    this.#take({ kind: 'put', key, ...this.#order, value });
    return letter;
  }

  done({ key, order }: Letter): void {
    const now = this.#letters.get(key);
    if (now === undefined || now.isDone || now.order.epoch !== order.epoch || now.order.seq !== order.seq)
      return;
    this.#take({ kind: 'done', key });
  }

  undone(key: string): void {
    if (this.#letters.get(key)?.isDone === true) this.#take({ kind: 'undone', key });
  }

  forget(key: string): void {
    if (this.#letters.has(key)) this.#take({ kind: 'gone', key });
  }

  raise(order: Order): void {
    this.#order = order;
    this.#write({ kind: 'order', ...order });
  }

  async settled(waitMillis: number): Promise<boolean> {
    if (this.#writing !== null) await this.#within(this.#writing, waitMillis);
    return this.#waiting.length === 0 && this.#writing === null && !this.#isTorn;
  }

  trouble(): string | null {
    return this.#trouble;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    if (this.#writing !== null) await this.#within(this.#writing, closeMillis);
    const closing = this.#journal?.close().catch(() => undefined);
    if (closing !== undefined) await this.#within(closing, closeMillis);
  }

  /** Resolves when the work is over, or after the time. */
  #within(work: Promise<void>, waitMillis: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#after(waitMillis, resolve);
      void work.finally(() => {
        cancel();
        resolve();
      });
    });
  }

  #take(entry: OutboxEntry): void {
    this.#letters = foldLetters([entry], this.#letters).letters;
    this.#write(entry);
  }

  #makeRoom(key: string): void {
    if (this.#letters.has(key) || this.#letters.size < this.#options.keysAtMost) return;
    const oldest = [...this.#letters.values()];
    const victim = oldest.find(({ isDone }) => isDone) ?? oldest[0];
    if (victim !== undefined) this.forget(victim.key);
  }

  #write(entry: OutboxEntry): void {
    this.#waiting.push(entry);
    if (this.#isTorn) this.#waiting = [];
    this.#run();
  }

  #run(): void {
    if (this.#isClosed) return;
    this.#isAsked = this.#writing !== null;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
      if (this.#isAsked) this.#run();
    });
  }

  async #writeAll(): Promise<void> {
    // One turn later, so that what is put together is written together.
    await Promise.resolve();
    while (this.#waiting.length > 0 || this.#isTorn) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        this.#journal ??= await this.#openLate();
        if (this.#isTorn || this.#journal.sizeBytes() > compactAboveBytes) {
          // What comes while it is written is appended behind it.
          this.#isTorn = false;
          await this.#journal.compact(this.#whole());
        } else await this.#journal.appendAll(batch);
        this.#trouble = null;
      } catch (error) {
        this.#fail(error);
        return;
      }
    }
  }

  /** What could not be read at the start stands beneath what was put since. */
  async #openLate(): Promise<Journal> {
    const { journal, read } = await this.#options.open();
    const found = lettersIn(read);
    this.#letters = new Map([...found.letters, ...this.#letters]);
    if (found.order !== null && compareOrder(found.order, this.#order) >= 0)
      this.#order = this.#options.start(found.order);
    return journal;
  }

  #whole(): readonly OutboxEntry[] {
    const puts = [...this.#letters.values()].flatMap(({ key, order, value, isDone }): OutboxEntry[] => [
      { kind: 'put', key, ...order, value },
      ...(isDone ? [{ kind: 'done', key } as const] : []),
    ]);
    return [...puts, { kind: 'order', ...this.#order }];
  }

  #fail(error: unknown): void {
    this.#isTorn = true;
    this.#waiting = [];
    this.#trouble = messageOf(error);
    this.#cancelRetry?.();
    if (this.#isClosed) return;
    this.#cancelRetry = this.#after(retryMillis, () => this.#run());
  }
}

function lettersIn({ entries }: JournalRead): Folded {
  return foldLetters(entries.flatMap((one) => entryOf(one) ?? []));
}

function realTimer(waitMillis: number, act: () => void): () => void {
  const timer = setTimeout(act, waitMillis);
  timer.unref();
  return () => clearTimeout(timer);
}
