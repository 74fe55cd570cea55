/**
 * Brings the letters of an outbox to a receiver: of each key one request at a time, the newest letter always, again with
 * growing pauses until it is acknowledged or refused.
 *
 *   waiting ──disk knows it, or has had its time──▶ in flight ──acknowledged──▶ done
 *      ▲                                               │ failed: pause, doubled, with jitter
 *      └───────────────────────────────────────────────┘ refused: until a newer letter, or until it is said again
 */
import type { Letter, Outbox } from '../store/outbox.ts';
import { unreachable } from '../types/unreachable.ts';

/** What became of one attempt. */
export type Delivery =
  | { readonly kind: 'acknowledged' }
  /** Tried again, after `waitMillis` at least. */
  | { readonly kind: 'failed'; readonly text: string; readonly waitMillis?: number }
  /** The same letter would be refused again. */
  | { readonly kind: 'refused'; readonly text: string };

/** Monotonic time in ms, and timers on it. */
export interface CourierClock {
  readonly now: () => number;
  /** Returns what cancels it. */
  readonly after: (waitMillis: number, act: () => void) => () => void;
}

export interface CourierOptions {
  readonly outbox: Outbox;
  /** Never rejects. */
  readonly deliver: (letter: Letter, isNewest: () => boolean) => Promise<Delivery>;
  readonly clock: CourierClock;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  /** Requests at the same time, of different keys. */
  readonly parallel: number;
  /** Pause after the first failure; doubled up to the second. */
  readonly pauseMillis: { readonly first: number; readonly most: number };
  readonly onDelivery?: (letter: Letter, delivery: Delivery) => void;
}

/** A receiver must not see what a restart would forget, but a slow disk delays it no longer than this. */
const diskMillis = 50;

interface Round {
  isFlying: boolean;
  failures: number;
  /** Cancels the pause; null: none. */
  cancel: (() => void) | null;
  /** Since when the key waits for an acknowledgement; null: it does not. */
  since: number | null;
  /** Of the last attempt; null: it went well. */
  text: string | null;
  /** The order of the letter that was refused; it is not tried again by itself. */
  refused: Letter | null;
}

/** Of one key that is not acknowledged. */
export interface Pending {
  readonly key: string;
  readonly since: number;
  readonly text: string | null;
  readonly isRefused: boolean;
}

export class Courier {
  readonly #options: CourierOptions;
  readonly #rounds = new Map<string, Round>();
  #flying = 0;
  #isClosed = false;

  constructor(options: CourierOptions) {
    this.#options = options;
    for (const { key, isDone } of options.outbox.letters().values()) if (!isDone) this.#go(key);
  }

  /** Takes the place of what waits under this key. */
  post(key: string, value: unknown): Letter {
    const letter = this.#options.outbox.put(key, value);
    this.#fresh(key);
    return letter;
  }

  /** The newest letter of the key is to be delivered (again). */
  again(key: string): void {
    this.#options.outbox.undone(key);
    this.#fresh(key);
  }

  /** Ends all pauses: the receiver, or another one, is there again. */
  hurry(): void {
    for (const [key, round] of this.#rounds) if (round.cancel !== null) this.#fresh(key);
  }

  /** The key is not told any more. */
  forget(key: string): void {
    this.#options.outbox.forget(key);
    this.#rounds.get(key)?.cancel?.();
    if (this.#rounds.get(key)?.isFlying !== true) this.#rounds.delete(key);
  }

  /** Acknowledged by other means. */
  done(letter: Letter): void {
    this.#options.outbox.done(letter);
    const round = this.#rounds.get(letter.key);
    if (round === undefined || this.#options.outbox.letters().get(letter.key)?.isDone !== true) return;
    round.cancel?.();
    Object.assign(round, { cancel: null, failures: 0, since: null, text: null, refused: null });
  }

  /** Those that are not acknowledged, and since when. */
  pending(): readonly Pending[] {
    return [...this.#rounds].flatMap(([key, { since, text, refused }]) =>
      since === null ? [] : [{ key, since, text, isRefused: refused !== null }],
    );
  }

  /** What is in flight goes on and changes nothing here. */
  close(): void {
    this.#isClosed = true;
    for (const round of this.#rounds.values()) round.cancel?.();
  }

  #fresh(key: string): void {
    const round = this.#roundOf(key);
    round.cancel?.();
    round.cancel = null;
    round.failures = 0;
    round.refused = null;
    this.#go(key);
  }

  #roundOf(key: string): Round {
    const known = this.#rounds.get(key);
    if (known !== undefined) return known;
    const round: Round = {
      isFlying: false,
      failures: 0,
      cancel: null,
      since: null,
      text: null,
      refused: null,
    };
    this.#rounds.set(key, round);
    return round;
  }

  #go(key: string): void {
    const round = this.#roundOf(key);
    round.since ??= this.#options.clock.now();
    if (this.#isClosed || round.isFlying || round.cancel !== null || this.#flying >= this.#options.parallel)
      return;
    round.isFlying = true;
    this.#flying += 1;
    void this.#fly(key, round);
  }

  async #fly(key: string, round: Round): Promise<void> {
    const { outbox, deliver, onDelivery } = this.#options;
    await outbox.settled(diskMillis);
    const letter = outbox.letters().get(key);
    if (letter === undefined || letter.isDone || this.#isClosed) return this.#land(key, round, null);
    const isNewest = (): boolean => isSame(outbox.letters().get(key), letter);
    const delivery = await deliver(letter, isNewest);
    if (this.#isClosed) return;
    onDelivery?.(letter, delivery);
    this.#note(letter, round, delivery);
    this.#land(key, round, letter);
  }

  #note(letter: Letter, round: Round, delivery: Delivery): void {
    switch (delivery.kind) {
      case 'acknowledged':
        this.#options.outbox.done(letter);
        round.failures = 0;
        round.text = null;
        return;
      case 'failed': {
        round.text = delivery.text;
        round.failures += 1;
        if (!isSame(this.#options.outbox.letters().get(letter.key), letter)) return;
        const pause = Math.max(delivery.waitMillis ?? 0, this.#pause(round.failures));
        round.cancel = this.#options.clock.after(pause, () => {
          round.cancel = null;
          this.#go(letter.key);
        });
        return;
      }
      case 'refused':
        round.text = delivery.text;
        round.refused = letter;
        return;
      default:
        unreachable(delivery);
    }
  }

  /** Between half and the whole of it, so that many senders do not come at once. */
  #pause(failures: number): number {
    const { first, most } = this.#options.pauseMillis;
    return Math.min(most, first * 2 ** Math.min(30, failures - 1)) * (0.5 + this.#options.random() / 2);
  }

  #land(key: string, round: Round, letter: Letter | null): void {
    round.isFlying = false;
    this.#flying -= 1;
    const newest = this.#options.outbox.letters().get(key);
    if (newest === undefined) this.#rounds.delete(key);
    else if (newest.isDone) Object.assign(round, { since: null, text: null, refused: null });
    else if (letter !== null && !isSame(newest, letter)) this.#fresh(key);
    if (this.#isClosed) return;
    // Others may have waited for room.
    for (const [other, { isFlying, cancel, since, refused }] of this.#rounds) {
      if (this.#flying >= this.#options.parallel) return;
      if (since !== null && !isFlying && cancel === null && refused === null) this.#go(other);
    }
  }
}

function isSame(a: Letter | undefined, b: Letter): boolean {
  return a !== undefined && a.order.epoch === b.order.epoch && a.order.seq === b.order.seq;
}
