/**
 * When to try again after a connection could not be made. The first failures cost nothing; a BIRD that accepts and hangs
 * costs a deadline each time, and one that is away need not be asked at each tick. Pure but for the clock it is given.
 */
import { BirdError } from '../bird-error.ts';

/** Waits after the first, second, … failure in a row; the last one stays. */
const waitsMillis = [0, 50, 100, 200, 400] as const;

/** Remembers failures in a row. */
export class BackOff {
  readonly #now: () => number;
  #failures = 0;
  #until = 0;
  #last: BirdError | null = null;

  /** `now` in ms of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws the last failure again, at once, while it is too early for another attempt. */
  check(): void {
    const wait = this.#until - this.#now();
    if (this.#last === null || wait <= 0) return;
    const { code, message } = this.#last;
    throw new BirdError(code, message, { cause: this.#last });
  }

  failed(error: BirdError): void {
    const wait = waitsMillis[Math.min(this.#failures, waitsMillis.length - 1)] ?? 0;
    this.#failures += 1;
    this.#last = error;
    this.#until = this.#now() + wait;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#last = null;
  }
}
