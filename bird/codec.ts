/**
 * Framing of BIRD's control protocol (`nest/cli.c`): bytes in, whole replies out. Pure and incremental.
 *
 * A reply is lines `NNNN-text` and one last line `NNNN text`; a line that begins with one space continues the code of
 * the line before; `+text` is asynchronous and may stand anywhere. Only the space after the code ends a reply: codes
 * that begin with 0, 8 or 9 stand in the middle of good replies too (`0009-x: disabled`, `8000-<line overflow>`).
 */

export interface ReplyLine {
  /** Four digits. */
  readonly code: string;
  readonly text: string;
}

export interface Reply {
  /** Four digits, of the last line. */
  readonly code: string;
  /** All lines, the last one among them. */
  readonly lines: readonly ReplyLine[];
}

export type Frame =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'async'; readonly line: string }
  | { readonly kind: 'bad'; readonly text: string };

export interface Reader {
  /** The frames that this chunk completes. After a `bad` frame the stream is lost and nothing follows. */
  push(chunk: Buffer): readonly Frame[];
  /** Whether bytes of an unfinished line or reply are held. */
  readonly pending: boolean;
}

export interface ReaderLimits {
  readonly lineBytes: number;
  readonly replyBytes: number;
}

/** BIRD's own lines end at 510 bytes; 1,000 sessions with 10,000 announcements fill about 20 MB. */
export const readerLimits: ReaderLimits = { lineBytes: 8192, replyBytes: 64 * 1024 * 1024 };

const newline = 0x0a;

/** A reader for one connection. Memory is bounded by the limits; beyond them the frame is `bad`. */
export function createReader(limits: ReaderLimits = readerLimits): Reader {
  return new StreamReader(limits);
}

class StreamReader implements Reader {
  readonly #limits: ReaderLimits;
  #rest: Buffer = Buffer.alloc(0);
  #lines: ReplyLine[] = [];
  #bytes = 0;
  #lost = false;

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  get pending(): boolean {
    return this.#rest.length > 0 || this.#lines.length > 0;
  }

  push(chunk: Buffer): readonly Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    while (!this.#lost) {
      const end = chunk.indexOf(newline, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      if (this.#rest.length + part.length > this.#limits.lineBytes) {
        frames.push(this.#bad(`a line of more than ${this.#limits.lineBytes} bytes`));
        break;
      }
      const line = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
      if (end === -1) {
        this.#rest = Buffer.from(line);
        break;
      }
      this.#rest = Buffer.alloc(0);
      from = end + 1;
      const frame = this.#take(line);
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }

  /** One whole line: a frame where it ends one, null where the reply goes on. */
  #take(bytes: Buffer): Frame | null {
    const line = bytes.toString('utf8');
    if (line.startsWith('+')) return { kind: 'async', line: line.slice(1) };
    this.#bytes += bytes.length + 1;
    if (this.#bytes > this.#limits.replyBytes)
      return this.#bad(`a reply of more than ${this.#limits.replyBytes} bytes`);
    if (line.startsWith(' ')) return this.#continue(line);
    const match = /^(\d{4})([- ])/.exec(line);
    if (match?.[1] === undefined) return this.#bad(`a line without a reply code: ${JSON.stringify(line)}`);
    this.#lines.push({ code: match[1], text: line.slice(5) });
    if (match[2] === '-') return null;
    const reply: Reply = { code: match[1], lines: this.#lines };
    this.#lines = [];
    this.#bytes = 0;
    return { kind: 'reply', reply };
  }

  #continue(line: string): Frame | null {
    const code = this.#lines.at(-1)?.code;
    if (code === undefined) return this.#bad(`a continuation of nothing: ${JSON.stringify(line)}`);
    this.#lines.push({ code, text: line.slice(1) });
    return null;
  }

  #bad(text: string): Frame {
    this.#lost = true;
    this.#rest = Buffer.alloc(0);
    this.#lines = [];
    return { kind: 'bad', text };
  }
}
