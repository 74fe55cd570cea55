/** One command in flight, the others wait in order: however BIRD is reached. */
import { BirdError } from '../bird-error.ts';
import type { Reply } from '../codec.ts';
import { accepted, commandProblem } from './command-text.ts';

const queueLimit = 1000;

interface Job {
  readonly text: string;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** Works commands off with `exchange`, which asks BIRD one command and gives its reply, or rejects with a BirdError. */
export class CommandQueue {
  readonly #path: string;
  readonly #exchange: (text: string) => Promise<Reply>;
  readonly #waiting: Job[] = [];
  #busy = false;
  #closed = false;

  /** `path` is for people. */
  constructor(path: string, exchange: (text: string) => Promise<Reply>) {
    this.#path = path;
    this.#exchange = exchange;
  }

  /** Rejects with a BirdError: what `exchange` says, `refused` for a reply of 8xxx or 9xxx, or `bad-command`. */
  command(text: string): Promise<Reply> {
    const problem = this.#problemOf(text);
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      if (!this.#busy) void this.#work();
    });
  }

  /** Fails whatever waits and whatever comes later; the command in flight is the caller's to end. */
  close(): BirdError {
    this.#closed = true;
    const error = this.#closedError();
    for (const job of this.#waiting.splice(0)) job.reject(error);
    return error;
  }

  #closedError(): BirdError {
    return new BirdError('closed', `${this.#path}: the client was closed`);
  }

  #problemOf(text: string): BirdError | null {
    if (this.#closed) return this.#closedError();
    if (this.#waiting.length >= queueLimit)
      return new BirdError('queue-full', `${this.#path}: ${queueLimit} commands wait already`);
    const problem = commandProblem(text);
    return problem === null ? null : new BirdError('bad-command', `not sent to BIRD: ${problem}`);
  }

  /** Never rejects, since each failure belongs to its job. */
  async #work(): Promise<void> {
    this.#busy = true;
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      try {
        job.resolve(accepted(await this.#exchange(job.text)));
      } catch (error) {
        job.reject(error);
      }
    }
    this.#busy = false;
  }
}
