/**
 * A client of BIRD's control socket: one persistent connection, one command in flight, the others wait in order.
 * It connects when the first command comes and again with the first command after a loss; after failures in a row it
 * waits a little. BIRD closes a connection on which more than about a kilobyte waits unread, and a long line can hang it
 * for good: hence the limit on commands.
 */
import { BirdError } from './bird-error.ts';
import { BackOff } from './client/back-off.ts';
import { CommandQueue } from './client/command-queue.ts';
import { Connection } from './client/connection.ts';
import type { Reply } from './codec.ts';

export { BirdError, type BirdErrorCode } from './bird-error.ts';
export { commandLimitBytes } from './client/command-text.ts';

/** Asks BIRD; `openClient` speaks to the socket, `openBirdc` runs a command. */
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

const crowdedMillis = 5;

/** A client for this socket. Nothing is opened before the first command. */
export function openClient(options: ClientOptions): BirdClient {
  return new SocketClient(options);
}

class SocketClient implements BirdClient {
  readonly #options: ClientOptions;
  readonly #queue: CommandQueue;
  readonly #backOff = new BackOff(() => performance.now());
  #connection: Connection | null = null;
  #version: string | null = null;
  #isClosed = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#queue = new CommandQueue(options.path, (text) => this.#exchange(text));
  }

  get version(): string | null {
    return this.#version;
  }

  command(text: string): Promise<Reply> {
    return this.#queue.command(text);
  }

  close(): void {
    this.#isClosed = true;
    const { code, message } = this.#queue.close();
    this.#connection?.destroy(code, message);
  }

  async #exchange(text: string): Promise<Reply> {
    const deadline = performance.now() + this.#options.timeoutMillis;
    const left = (): number => Math.max(1, deadline - performance.now());
    const open = this.#connection;
    if (open?.alive === true) return open.ask(text, left());
    this.#backOff.check();
    try {
      const connection = await this.#connect(left);
      const reply = await connection.ask(text, left());
      this.#backOff.succeeded();
      return reply;
    } catch (error) {
      if (error instanceof BirdError) this.#backOff.failed(error);
      throw error;
    }
  }

  /** BIRD's queue of connections that wait to be taken is short; where it is full (EAGAIN) there is room in a moment. */
  async #connect(left: () => number): Promise<Connection> {
    for (;;) {
      const connection = new Connection(this.#options.path, (line) => this.#options.onAsync?.(line));
      this.#connection = connection;
      try {
        this.#greet(connection, await connection.next(left()));
        return connection;
      } catch (error) {
        if (!(error instanceof BirdError) || error.code !== 'EAGAIN' || left() <= crowdedMillis) throw error;
        await new Promise((resolve) => {
          setTimeout(resolve, crowdedMillis);
        });
        if (this.#isClosed) throw error;
      }
    }
  }

  #greet(connection: Connection, greeting: Reply): void {
    const version = versionIn(greeting);
    if (version !== null) {
      this.#version = version;
      return;
    }
    const text = greeting.lines.at(-1)?.text ?? '';
    const message = `${this.#options.path}: no greeting of BIRD but ${greeting.code} ${JSON.stringify(text)}`;
    connection.destroy('bad-reply', message);
    throw new BirdError('bad-reply', message);
  }
}

/** The version in BIRD's greeting (`0001 BIRD 2.0.12 ready.`); null: it is none. */
export function versionIn(greeting: Reply): string | null {
  if (greeting.code !== '0001' || greeting.lines.length !== 1) return null;
  return /^BIRD (\S+) ready/.exec(greeting.lines[0]?.text ?? '')?.[1] ?? null;
}
