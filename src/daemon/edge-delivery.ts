/**
 * Brings words to the edge: PUT on its socket and the same bytes as its boot file, repeated well within their ttl. One is
 * on its way at a time, and the newest waits behind it; an nginx that is dead or hangs costs nobody but this a second.
 */
import { readFile } from 'node:fs/promises';
import { pushBytes, type PushResult, writeBootFile } from '../../edge/push.ts';
import { type EdgeWord, urgentText } from '../core/edge-feed/snapshot.ts';
import { raised, startOrder } from '../core/tell/order.ts';
import { messageOf } from '../types/message-of.ts';
import type { Order } from '../types/wire/common.ts';
import { edgeSnapshot, type EdgeSnapshot } from '../types/wire/node-to-edge.ts';

/** Heartbeats within one ttl, so that two may be lost. */
const beatsInTtl = 3;
const pushTimeoutMillis = 800;
/** An edge that was away is told again this soon. */
const retryMillis = 1000;

export interface EdgePaths {
  readonly file: string;
  readonly socket: string;
}

/** What became of the last word. */
export interface Delivery {
  readonly order: Order;
  readonly at: string;
  readonly push: PushResult;
  /** null: the boot file holds it. */
  readonly fileError: string | null;
  /** Pushes that failed in a row, and since when by the monotonic clock. */
  readonly failing: { readonly times: number; readonly sinceMillis: number } | null;
}

export interface EdgeDelivery {
  /** The newest word; what must not wait is sent at once. null: nothing is told any more, until there is a word again. */
  offer(word: EdgeWord | null): void;
  /** null: nothing was sent yet. */
  last(): Delivery | null;
  /** Nothing is sent any more; what is on its way ends within its time-out. */
  close(): Promise<void>;
}

export interface DeliveryTools {
  readonly paths: EdgePaths;
  readonly wallMillis: () => number;
  readonly monotonicMillis: () => number;
  /** Of a forerunner's file; null: there was none. */
  readonly lastOrder: Order | null;
  /** After each attempt. */
  readonly onDelivered: (delivery: Delivery) => void;
}

export function openDelivery(tools: DeliveryTools): EdgeDelivery {
  return new Delivering(tools);
}

class Delivering implements EdgeDelivery {
  readonly #tools: DeliveryTools;
  #order: Order;
  #word: EdgeWord | null = null;
  /** Urgent text of the word that was taken into the last message. */
  #sent: string | null = null;
  #delivery: Delivery | null = null;
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(tools: DeliveryTools) {
    this.#tools = tools;
    this.#order = startOrder(tools.wallMillis(), tools.lastOrder);
  }

  offer(word: EdgeWord | null): void {
    this.#word = word;
    if (word === null) {
      clearTimeout(this.#timer);
      this.#sent = null;
    } else if (urgentText(word) !== this.#sent) this.#start();
  }

  last(): Delivery | null {
    return this.#delivery;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  #start(): void {
    if (this.#closed || this.#working !== null) return;
    clearTimeout(this.#timer);
    this.#working = this.#deliver().finally(() => {
      this.#working = null;
      this.#plan();
    });
  }

  /** What came meanwhile goes at once, unless the edge is away; else the next beat. */
  #plan(): void {
    const word = this.#word;
    if (this.#closed || word === null) return;
    const away = this.#delivery !== null && this.#delivery.push.kind !== 'taken';
    const news = urgentText(word) !== this.#sent;
    const beat = word.ttlMillis / beatsInTtl;
    const wait = away ? Math.min(retryMillis, beat) : news ? 0 : beat;
    this.#timer = setTimeout(() => this.#start(), wait);
  }

  async #deliver(): Promise<void> {
    const word = this.#word;
    if (word === null) return;
    this.#sent = urgentText(word);
    let attempt = await this.#attempt(word);
    if (attempt.push.kind === 'older') {
      this.#order = raised(this.#order, attempt.push.newest) ?? this.#order;
      attempt = await this.#attempt(word);
    }
    const { push, fileError } = attempt;
    const now = this.#tools.monotonicMillis();
    const before = this.#delivery?.failing ?? { times: 0, sinceMillis: now };
    const failing = push.kind === 'taken' ? null : { ...before, times: before.times + 1 };
    this.#delivery = { order: this.#order, at: attempt.at, push, fileError, failing };
    this.#tools.onDelivered(this.#delivery);
  }

  async #attempt(
    word: EdgeWord,
  ): Promise<{ readonly push: PushResult; readonly fileError: string | null; readonly at: string }> {
    const { paths, wallMillis } = this.#tools;
    this.#order = { epoch: this.#order.epoch, seq: this.#order.seq + 1 };
    const generatedAt = new Date(wallMillis()).toISOString();
    const bytes = JSON.stringify({ ...word, ...this.#order, generatedAt } satisfies EdgeSnapshot);
    const [push, fileError] = await Promise.all([
      pushBytes(paths.socket, bytes, pushTimeoutMillis),
      writeBootFile(paths.file, bytes).then(
        () => null,
        (error: unknown) => messageOf(error),
      ),
    ]);
    return { push, fileError, at: generatedAt };
  }
}

/** What a forerunner told last; null: there is no such file, or it is not whole. */
export async function readBootFile(path: string): Promise<EdgeSnapshot | null> {
  try {
    const parsed = edgeSnapshot.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.data ?? null;
  } catch {
    return null;
  }
}
