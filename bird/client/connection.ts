/**
 * One connection to BIRD's control socket, from the greeting to its end. Whatever goes wrong (an error, an end, bytes
 * that are no reply, a deadline) ends the connection for good, so a late reply can never be taken for another's.
 */
import { createConnection, type Socket } from 'node:net';
import { BirdError, type BirdErrorCode } from '../bird-error.ts';
import { createReader, type Frame, type Reader, type Reply } from '../codec.ts';
import { unreachable } from '../../src/types/unreachable.ts';

interface Waiter {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: BirdError) => void;
  readonly timer: NodeJS.Timeout;
}

/** A connection that is being opened or is open. */
export class Connection {
  readonly #path: string;
  readonly #socket: Socket;
  readonly #reader: Reader = createReader();
  readonly #onAsync: (line: string) => void;
  #waiter: Waiter | null = null;
  #end: BirdError | null = null;
  #connected = false;

  constructor(path: string, onAsync: (line: string) => void) {
    this.#path = path;
    this.#onAsync = onAsync;
    this.#socket = createConnection({ path });
    this.#socket.on('connect', () => {
      this.#connected = true;
    });
    this.#socket.on('data', (chunk: Buffer) => {
      for (const frame of this.#reader.push(chunk)) this.#receive(frame);
    });
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(error));
    this.#socket.on('close', () => this.destroy('closed', `${path}: BIRD closed the connection`));
  }

  get alive(): boolean {
    return this.#end === null;
  }

  /** The reply that comes next, whole, within the deadline; before it comes nothing else may be asked. */
  next(timeoutMillis: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#end !== null) {
        reject(this.#end);
        return;
      }
      const timer = setTimeout(() => {
        const held = this.#connected ? 'gave no whole reply' : 'did not accept the connection';
        this.destroy('ETIMEDOUT', `${this.#path}: BIRD ${held} within ${Math.round(timeoutMillis)} ms`);
      }, timeoutMillis);
      this.#waiter = { resolve, reject, timer };
    });
  }

  /** Sends one command line and waits for its reply. */
  ask(text: string, timeoutMillis: number): Promise<Reply> {
    const reply = this.next(timeoutMillis);
    if (this.alive) this.#socket.write(`${text}\n`);
    return reply;
  }

  /** Ends the connection; who waits for a reply gets this error. The first reason stays. */
  destroy(code: BirdErrorCode, text: string, cause?: unknown): void {
    if (this.#end !== null) return;
    this.#end = new BirdError(code, text, cause === undefined ? {} : { cause });
    this.#socket.destroy();
    this.#settle()?.reject(this.#end);
  }

  #receive(frame: Frame): void {
    if (!this.alive) return;
    switch (frame.kind) {
      case 'async':
        this.#onAsync(frame.line);
        return;
      case 'bad':
        this.destroy('bad-reply', `${this.#path}: BIRD sent ${frame.text}; the connection is dropped`);
        return;
      case 'reply': {
        const waiter = this.#settle();
        if (waiter === null)
          this.destroy('bad-reply', `${this.#path}: BIRD sent a reply that nobody asked for`);
        else waiter.resolve(frame.reply);
        return;
      }
      default:
        unreachable(frame);
    }
  }

  #settle(): Waiter | null {
    const waiter = this.#waiter;
    this.#waiter = null;
    if (waiter !== null) clearTimeout(waiter.timer);
    return waiter;
  }

  /** Before the connection stands, the errno is the news; afterwards it only says how the connection ended. */
  #fail(error: NodeJS.ErrnoException): void {
    const errno = error.code ?? 'EIO';
    if (this.#connected)
      this.destroy('closed', `${this.#path}: the connection to BIRD broke (${errno})`, error);
    else this.destroy(errnoCode(errno), `${this.#path}: cannot connect to BIRD (${errno})`, error);
  }
}

function errnoCode(errno: string): BirdErrorCode {
  return errno.startsWith('E') ? `E${errno.slice(1)}` : 'EIO';
}
