/**
 * A client of BIRD's control socket: one persistent connection, one command in flight, the others wait in order.
 * It connects when the first command comes and again with the first command after a loss. BIRD closes a connection on
 * which more than about a kilobyte waits unread, and a long line can hang it for good: hence the limit on commands.
 */
import { BirdError } from './bird-error.ts';
import { Connection } from './client/connection.ts';
import type { Reply } from './codec.ts';

export { BirdError, type BirdErrorCode } from './bird-error.ts';

/** Asks BIRD; `openClient` speaks to the socket. */
export interface BirdClient {
  /**
   * One command, without line end and in full words (`show protocols all`). Rejects with a BirdError; a reply whose last
   * code is 8xxx or 9xxx rejects with `refused`.
   */
  command(text: string): Promise<Reply>;
  /** From the greeting, such as `2.0.12`; null until the first connection. */
  readonly version: string | null;
  /** Drops the connection and fails whatever waits. */
  close(): void;
}

export interface ClientOptions {
  /** Of the Unix socket. */
  readonly path: string;
  /** For the whole of one command: connecting, greeting and reply. The time in the queue does not count. */
  readonly timeoutMillis: number;
  /** Lines that BIRD sends unasked, such as `Config timeout expired, starting undo`. */
  readonly onAsync?: (line: string) => void;
}

/** Longest command in bytes: BIRD takes 1022, and closes the connection or hangs beyond. */
export const commandLimitBytes = 1000;
const queueLimit = 1000;

interface Job {
  readonly text: string;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** A client for this socket. Nothing is opened before the first command. */
export function openClient(options: ClientOptions): BirdClient {
  return new SocketClient(options);
}

class SocketClient implements BirdClient {
  readonly #options: ClientOptions;
  readonly #queue: Job[] = [];
  #connection: Connection | null = null;
  #version: string | null = null;
  #busy = false;
  #closed = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get version(): string | null {
    return this.#version;
  }

  command(text: string): Promise<Reply> {
    const problem = this.#problemOf(text);
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      this.#queue.push({ text, resolve, reject });
      if (!this.#busy) void this.#work();
    });
  }

  close(): void {
    this.#closed = true;
    const text = `${this.#options.path}: the client was closed`;
    this.#connection?.destroy('closed', text);
    for (const job of this.#queue.splice(0)) job.reject(new BirdError('closed', text));
  }

  #problemOf(text: string): BirdError | null {
    const { path } = this.#options;
    if (this.#closed) return new BirdError('closed', `${path}: the client was closed`);
    if (this.#queue.length >= queueLimit)
      return new BirdError('queue-full', `${path}: ${queueLimit} commands wait already`);
    const problem = commandProblem(text);
    return problem === null ? null : new BirdError('bad-command', `not sent to BIRD: ${problem}`);
  }

  /** Works off the queue; never rejects, since each failure belongs to its job. */
  async #work(): Promise<void> {
    this.#busy = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      try {
        job.resolve(accepted(await this.#exchange(job.text)));
      } catch (error) {
        job.reject(error);
      }
    }
    this.#busy = false;
  }

  async #exchange(text: string): Promise<Reply> {
    const deadline = performance.now() + this.#options.timeoutMillis;
    const left = (): number => Math.max(1, deadline - performance.now());
    let connection = this.#connection;
    if (connection?.alive !== true) {
      connection = new Connection(this.#options.path, (line) => this.#options.onAsync?.(line));
      this.#connection = connection;
      this.#greet(connection, await connection.next(left()));
    }
    return connection.ask(text, left());
  }

  #greet(connection: Connection, greeting: Reply): void {
    const text = greeting.lines.at(-1)?.text ?? '';
    const version = /^BIRD (\S+) ready/.exec(text)?.[1];
    if (greeting.code === '0001' && version !== undefined) {
      this.#version = version;
      return;
    }
    const message = `${this.#options.path}: no greeting of BIRD but ${greeting.code} ${JSON.stringify(text)}`;
    connection.destroy('bad-reply', message);
    throw new BirdError('bad-reply', message);
  }
}

function commandProblem(text: string): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > commandLimitBytes) return `${bytes} bytes, and ${commandLimitBytes} is the most`;
  if (/[\r\n\0]/.test(text)) return 'a command is one line, and this one holds a line end or NUL';
  // BIRD answers an empty line with an error, and `help` not at all: birdc answers that by itself.
  if (/^\s*(help\b.*)?$/.test(text)) return `${JSON.stringify(text)} is no command of the daemon`;
  return null;
}

function accepted(reply: Reply): Reply {
  if (!/^[89]/.test(reply.code)) return reply;
  const text = reply.lines.at(-1)?.text ?? '';
  throw new BirdError('refused', `BIRD refused: ${reply.code} ${text}`, { reply });
}
