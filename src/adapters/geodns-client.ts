/**
 * Tells GeoDNS of this node's uplinks: each change in a request of its own, and all of it again as a heartbeat, so that
 * whatever was lost is right again with the next. A 409 says that the receiver holds something newer than we told: if it
 * is our own heartbeat, all is well; if not, what we tell goes above it.
 */
import type { Letter, Outbox } from '../store/outbox.ts';
import { raised } from '../core/tell/order.ts';
import { saysSame } from '../core/tell/tell.ts';
import type { ToldUplink } from '../types/told.ts';
import { compareOrder, type Order } from '../types/wire/common.ts';
import { staleAnswer } from '../types/wire/node-to-geodns.ts';
import { heartbeatMessage, type SentUplink, targetsIn, uplinkMessage } from './geodns-messages.ts';
import { Courier, type CourierClock, type Delivery, type Pending } from './courier.ts';

/** What came of a request, whoever carried it. */
export type GeoDnsReply =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

/** Puts a message to a path of one of the endpoints; never rejects. */
export type GeoDnsPut = (endpoint: number, path: string, message: unknown) => Promise<GeoDnsReply>;

export interface GeoDnsOptions {
  readonly node: string;
  readonly endpoints: number;
  readonly put: GeoDnsPut;
  readonly outbox: Outbox;
  readonly clock: CourierClock;
  readonly random: () => number;
  readonly heartbeatMillis: number;
  /** ISO 8601. */
  readonly wallTime: () => string;
  /** An uplink's state was acknowledged for the first time since it is told. */
  readonly onAcknowledged?: (told: ToldUplink) => void;
}

const pauseMillis = { first: 200, most: 5000 };
/** A token that is refused or a target that is unknown needs a person; the heartbeat tries it too. */
const slowMillis = 5000;
const parallel = 8;
/** Another way to the service is tried after so many failures in a row. */
const failuresToMove = 2;

export class GeoDnsClient {
  readonly #options: GeoDnsOptions;
  readonly #courier: Courier;
  #endpoint = 0;
  #failures = 0;
  /** The last failure; null: the last request went well. */
  #trouble: string | null = null;
  #acknowledgedAt: number | null = null;
  #isBeating = false;
  #isFrozen = false;
  #cancelBeat: () => void = () => undefined;
  #unknownTargets: readonly string[] = [];
  #isClosed = false;

  constructor(options: GeoDnsOptions) {
    this.#options = options;
    const { outbox, clock, random } = options;
    this.#courier = new Courier({
      outbox,
      clock,
      random,
      parallel,
      pauseMillis,
      deliver: (letter, isNewest) => this.#deliver(letter, isNewest),
    });
    this.#beatIn(0);
  }

  /** What was told last of each uplink, over restarts. */
  last(): ReadonlyMap<string, ToldUplink> {
    return new Map([...this.#letters()].map(([key, { value }]) => [key, value]));
  }

  /** All that is told now. What says the same as before, if in other figures, is no news. */
  tell(told: readonly ToldUplink[]): void {
    const last = this.last();
    for (const one of told) {
      const before = last.get(one.uplink);
      if (before === undefined || !saysSame(before, one)) this.#courier.post(one.uplink, one);
    }
  }

  /** Heartbeats say it from now on. */
  noteFrozen(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
  }

  /** An uplink that the node no longer has is told no more. */
  keepOnly(uplinks: readonly string[]): void {
    for (const key of this.#options.outbox.letters().keys())
      if (!uplinks.includes(key)) this.#courier.forget(key);
  }

  acknowledged(): ReadonlyMap<string, ToldUplink> {
    const done = [...this.#letters()].filter(([, { letter }]) => letter.isDone);
    return new Map(done.map(([key, { value }]) => [key, value]));
  }

  pending(): readonly Pending[] {
    return this.#courier.pending();
  }

  state(): {
    readonly endpoint: number;
    readonly trouble: string | null;
    /** Monotonic ms of the last acknowledgement of anything; null: none yet. */
    readonly acknowledgedAt: number | null;
    readonly unknownTargets: readonly string[];
    readonly order: Order;
  } {
    return {
      endpoint: this.#endpoint,
      trouble: this.#trouble,
      acknowledgedAt: this.#acknowledgedAt,
      unknownTargets: this.#unknownTargets,
      order: this.#options.outbox.order(),
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelBeat();
    this.#courier.close();
  }

  #letters(): ReadonlyMap<string, SentUplink> {
    // Only this class puts letters into this outbox.
    return new Map(
      [...this.#options.outbox.letters()].map(([key, letter]) => [
        key,
        { letter, value: letter.value as ToldUplink },
      ]),
    );
  }

  async #deliver(letter: Letter, isNewest: () => boolean): Promise<Delivery> {
    const { node, wallTime } = this.#options;
    const told = this.#letters().get(letter.key);
    if (told === undefined) return { kind: 'acknowledged' };
    const path = `/v1/nodes/${node}/uplinks/${letter.key}?wait=0`;
    const reply = await this.#put(path, uplinkMessage(told.value, letter.order, wallTime()));
    if (this.#isClosed) return { kind: 'failed', text: 'closed' };
    if (reply.kind === 'failed') return reply;
    if (reply.status === 200 || reply.status === 202) {
      this.#noteAcknowledged(letter);
      return { kind: 'acknowledged' };
    }
    if (reply.status === 409) return this.#afterStale(letter, reply.text, isNewest);
    return { kind: 'failed', text: answerText(reply), waitMillis: reply.status < 500 ? slowMillis : 0 };
  }

  /** The receiver holds something above this letter: ours, or not. */
  #afterStale(letter: Letter, text: string, isNewest: () => boolean): Delivery {
    const reported = orderIn(text);
    if (reported === null) return { kind: 'failed', text: `409 without an order: ${text.slice(0, 100)}` };
    const own = this.#options.outbox.order();
    const isOurs =
      reported.epoch === own.epoch && reported.seq <= own.seq && compareOrder(reported, letter.order) > 0;
    if (isOurs && isNewest()) {
      // A heartbeat said the same in the meantime.
      this.#noteAcknowledged(letter);
      return { kind: 'acknowledged' };
    }
    if (!isOurs && !this.#goAbove(reported))
      return {
        kind: 'failed',
        text: 'the receiver holds an order that nothing can be above',
        waitMillis: slowMillis,
      };
    if (!isOurs && isNewest()) this.#courier.post(letter.key, letter.value);
    return { kind: 'failed', text: 'the receiver held something newer, it is told again above that' };
  }

  #goAbove(reported: Order): boolean {
    const { outbox } = this.#options;
    const own = outbox.order();
    const order = raised(own, reported);
    if (order === null) return false;
    if (compareOrder(order, own) > 0) outbox.raise(order);
    return true;
  }

  #noteAcknowledged(letter: Letter): void {
    const before = this.#options.outbox.letters().get(letter.key);
    if (before?.isDone !== false) return;
    this.#courier.done(letter);
    const after = this.#letters().get(letter.key);
    if (after?.letter.isDone === true) this.#options.onAcknowledged?.(after.value);
  }

  async #put(path: string, message: unknown): Promise<GeoDnsReply> {
    const endpoint = this.#endpoint;
    const reply = await this.#options.put(endpoint, path, message);
    if (this.#isClosed || endpoint !== this.#endpoint) return reply;
    const isFault = reply.kind === 'failed' || reply.status >= 500 || reply.status < 200;
    const isRefused = reply.kind === 'answer' && reply.status >= 300 && reply.status !== 409;
    this.#trouble = isFault || isRefused ? answerText(reply) : null;
    if (!isFault && !isRefused) this.#acknowledgedAt = this.#options.clock.now();
    if (!isFault) this.#failures = 0;
    else {
      this.#failures += 1;
      if (this.#failures >= failuresToMove && this.#options.endpoints > 1) this.#move();
    }
    return reply;
  }

  /** The next endpoint may have another memory, so it is told everything at once. */
  #move(): void {
    this.#failures = 0;
    this.#endpoint = (this.#endpoint + 1) % this.#options.endpoints;
    this.#courier.hurry();
    this.#beatIn(0);
  }

  #beatIn(waitMillis: number): void {
    if (this.#isClosed) return;
    this.#cancelBeat();
    this.#cancelBeat = this.#options.clock.after(waitMillis, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const { heartbeatMillis, outbox, node, wallTime, random } = this.#options;
    // Spread, so that nodes that started together do not beat together.
    this.#beatIn(heartbeatMillis * (0.9 + random() / 5));
    if (this.#isBeating || outbox.letters().size === 0) return;
    this.#isBeating = true;
    await outbox.settled(50);
    if (this.#isClosed) return;
    const sent = this.#letters();
    const order = outbox.order();
    const reply = await this.#put(
      `/v1/nodes/${node}/state?wait=0`,
      heartbeatMessage(node, sent, order, wallTime(), this.#isFrozen),
    );
    this.#isBeating = false;
    if (this.#isClosed || reply.kind === 'failed') return;
    if (reply.status === 409) this.#afterStaleBeat(reply.text, order);
    if (reply.status === 200 || reply.status === 202) this.#afterBeat(reply.text, sent);
  }

  #afterStaleBeat(text: string, order: Order): void {
    const reported = orderIn(text);
    if (reported === null || compareOrder(reported, order) < 0) return;
    const own = this.#options.outbox.order();
    const isOurs =
      reported.epoch === own.epoch && reported.seq <= own.seq && compareOrder(reported, order) > 0;
    // What is above this heartbeat by a letter of ours came first; anything else is found out letter by letter.
    if (!isOurs) for (const key of this.#options.outbox.letters().keys()) this.#courier.again(key);
  }

  #afterBeat(text: string, sent: ReadonlyMap<string, SentUplink>): void {
    const { node, outbox } = this.#options;
    const answers = targetsIn(text);
    this.#unknownTargets = [...answers].flatMap(([target, word]) =>
      word === 'unknown-target' ? [target] : [],
    );
    for (const [key, { letter }] of sent) {
      const word = answers.get(`${node}/${key}`);
      const newest = outbox.letters().get(key);
      const isNewest = newest !== undefined && compareOrder(newest.order, letter.order) === 0;
      if (!isNewest) continue;
      if (word === 'accepted' || word === 'replay') this.#noteAcknowledged(letter);
      // The receiver has something newer than all of ours: the letter's own answer says what.
      else if (word === 'stale') this.#courier.again(key);
    }
  }
}

function answerText(reply: GeoDnsReply): string {
  return reply.kind === 'failed' ? reply.text : `HTTP ${reply.status}: ${detailIn(reply.text)}`;
}

function detailIn(text: string): string {
  const value = jsonIn(text);
  const detail = typeof value === 'object' && value !== null && 'detail' in value ? value.detail : text;
  return String(detail)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200);
}

/** null: the body of the answer is no order. */
function orderIn(text: string): Order | null {
  const parsed = staleAnswer.safeParse(jsonIn(text));
  return parsed.success ? { epoch: parsed.data.epoch, seq: parsed.data.seq } : null;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
