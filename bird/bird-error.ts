/** Why BIRD could not be asked, or what it refused. */
import type { Reply } from './codec.ts';

/**
 * - an errno of the connection (`ENOENT`, `ECONNREFUSED`, `EACCES`, …)
 * - `ETIMEDOUT`: no whole reply in time; the connection was dropped
 * - `closed`: the connection ended before the reply did, or the client was closed
 * - `bad-reply`: bytes that are no reply, or a reply that does not say what was asked
 * - `refused`: BIRD answered with a code 8xxx (run time) or 9xxx (syntax); see `reply`
 * - `bad-command`: never sent, because BIRD could not take it (length, line end, name)
 * - `queue-full`: never sent, too many commands wait
 */
export type BirdErrorCode = `E${string}` | 'closed' | 'bad-reply' | 'refused' | 'bad-command' | 'queue-full';

/** Every failure of a BIRD client. The message names the socket, what happened and what it means. */
export class BirdError extends Error {
  override readonly name = 'BirdError';
  readonly code: BirdErrorCode;
  /** Of `refused`: BIRD's whole reply. */
  readonly reply: Reply | null;

  constructor(code: BirdErrorCode, message: string, more: { cause?: unknown; reply?: Reply } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.reply = more.reply ?? null;
  }

  /** Of `refused`: the reply code, such as 9001; else null. */
  get replyCode(): string | null {
    return this.reply?.code ?? null;
  }
}
