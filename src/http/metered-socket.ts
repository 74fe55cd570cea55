/**
 * A connection whose bytes come in small pieces, each in its turn. A request is parsed and answered while its piece is
 * handed on, so that thousands of requests sent at once (pipelined) are spread over turns of the event loop.
 */
import { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Turns, Worker } from './turns.ts';

/** A stream socket of node:net. */
export type StreamSocket = FastifyRequest['raw']['socket'];

/** A usual request is one piece or two. */
const pieceBytes = 512;

export class MeteredSocket extends Duplex implements Worker {
  readonly #inner: StreamSocket;
  readonly #turns: Turns;
  #waiting: Buffer | null = null;
  #isWanted = false;
  #hasEnded = false;

  constructor(inner: StreamSocket, turns: Turns) {
    super({ allowHalfOpen: true });
    this.#inner = inner;
    this.#turns = turns;
    inner.pause();
    inner.on('data', (chunk: Buffer) => {
      inner.pause();
      this.#waiting = this.#waiting === null ? chunk : Buffer.concat([this.#waiting, chunk]);
      if (this.#isWanted) turns.ask(this);
    });
    inner.on('end', () => {
      this.#hasEnded = true;
      if (this.#isWanted) turns.ask(this);
    });
    inner.on('error', (error) => this.destroy(error));
    inner.on('close', () => this.destroy());
    inner.on('timeout', () => this.emit('timeout'));
  }

  work(): void {
    if (this.destroyed || !this.#isWanted) return;
    const chunk = this.#waiting;
    if (chunk === null) {
      this.#isWanted = false;
      if (this.#hasEnded) this.push(null);
      return;
    }
    this.#waiting = chunk.length > pieceBytes ? chunk.subarray(pieceBytes) : null;
    // `push` asks for more by `_read`, in this call or soon after it.
    this.#isWanted = false;
    this.push(chunk.subarray(0, pieceBytes));
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#waiting !== null || this.#hasEnded) this.#turns.ask(this);
    else this.#inner.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inner.write(chunk, encoding, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#inner.cork();
    chunks.forEach(({ chunk, encoding }, index) => {
      if (index === chunks.length - 1) this.#inner.write(chunk, encoding, done);
      else this.#inner.write(chunk, encoding);
    });
    this.#inner.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#inner.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#turns.leave(this);
    this.#waiting = null;
    this.#inner.destroy();
    done(error);
  }

  /** As of node:net: ends when all is written. The HTTP server calls it after the last answer. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  /** node:net counts bytes that the kernel takes as a sign of life too. */
  setTimeout(waitMillis: number, listener?: () => void): this {
    this.#inner.setTimeout(waitMillis);
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  get remoteAddress(): string | undefined {
    return this.#inner.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#inner.remotePort;
  }
}
