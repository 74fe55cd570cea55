/**
 * A client that runs `birdc` for each command, where only a command reaches BIRD (a container, another namespace). The
 * words are passed on as they are, never through a shell.
 *
 * `birdc -v` prints the lines of the protocol with their codes, but not all as they came: a continuation begins with five
 * spaces in place of one, an asynchronous line with `>>> `, and a line of code 0000 is not printed at all. The end of a
 * reply is therefore the end of the process: exit code 0, or 1 where the last line has a code 8xxx or 9xxx (birdc 2.0.10
 * and newer). Whatever else comes is an error and never part of a list.
 */
import { execa } from 'execa';
import { BirdError, type BirdErrorCode } from './bird-error.ts';
import { type BirdClient, versionIn } from './client.ts';
import { CommandQueue } from './client/command-queue.ts';
import { createReader, readerLimits, type Frame, type Reply } from './codec.ts';

export interface BirdcOptions {
  /** Program and its first words, such as `docker exec bird birdc`; `-v` and the command are added. */
  readonly command: readonly [string, ...string[]];
  /** For the whole of one command. */
  readonly timeoutMillis: number;
  readonly onAsync?: (line: string) => void;
}

/** A client that runs this command. Nothing is run before the first command to BIRD. */
export function openBirdc(options: BirdcOptions): BirdClient {
  return new BirdcClient(options);
}

class BirdcClient implements BirdClient {
  readonly #options: BirdcOptions;
  readonly #path: string;
  readonly #queue: CommandQueue;
  readonly #ending = new AbortController();
  #version: string | null = null;

  constructor(options: BirdcOptions) {
    this.#options = options;
    this.#path = options.command.join(' ');
    this.#queue = new CommandQueue(this.#path, (text) => this.#exchange(text));
  }

  get version(): string | null {
    return this.#version;
  }

  command(text: string): Promise<Reply> {
    return this.#queue.command(text);
  }

  close(): void {
    this.#queue.close();
    this.#ending.abort();
  }

  async #exchange(text: string): Promise<Reply> {
    const run = await runBirdc(this.#options, text, this.#ending.signal);
    if (run.kind === 'not-run') throw new BirdError(run.code, `${this.#path}: ${run.text}`);
    const frames = framesOf(run.lines);
    for (const frame of frames) if (frame.kind === 'async') this.#options.onAsync?.(frame.line);
    const replies = frames.filter((frame) => frame.kind !== 'async');
    const [greeting, ...behind] = replies;
    if (greeting?.kind !== 'reply') throw this.#noReply(run);
    this.#version = versionIn(greeting.reply);
    // `birdc -r` has its access restricted first, and prints what BIRD says to that (0016).
    const isRestricted = behind[0]?.kind === 'reply' && behind[0].reply.code === '0016';
    const [answer, ...more] = isRestricted ? behind.slice(1) : behind;
    if (this.#version === null || answer?.kind !== 'reply' || more.length > 0) throw this.#noReply(run);
    // A refusal must be the reply's end and the process's end; else one of the two was cut off.
    if (/^[89]/.test(answer.reply.code) !== (run.exitCode === 1)) throw this.#noReply(run);
    return answer.reply;
  }

  #noReply({ exitCode, lines, complaint }: Ran): BirdError {
    const said = complaint === '' ? (lines.at(-1) ?? 'nothing') : complaint;
    const text = `${this.#path}: no whole reply of BIRD (exit code ${exitCode}, the last it said is ${JSON.stringify(said.slice(0, 200))})`;
    return new BirdError(codeOf(complaint) ?? 'bad-reply', text);
  }
}

interface Ran {
  readonly kind: 'ran';
  readonly exitCode: number;
  /** Of standard output, without line ends. */
  readonly lines: readonly string[];
  /** First line of standard error. */
  readonly complaint: string;
}
type Run = Ran | { readonly kind: 'not-run'; readonly code: BirdErrorCode; readonly text: string };

async function runBirdc(
  { command, timeoutMillis }: BirdcOptions,
  text: string,
  end: AbortSignal,
): Promise<Run> {
  const [program, ...words] = command;
  const result = await execa(program, [...words, '-v', text], {
    timeout: timeoutMillis,
    cancelSignal: end,
    killSignal: 'SIGKILL',
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    maxBuffer: readerLimits.replyBytes,
    // BIRD's command stands in a sbin folder, which a service's PATH may lack.
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` },
  });
  if (result.isCanceled) return { kind: 'not-run', code: 'closed', text: 'the client was closed' };
  if (result.timedOut)
    return { kind: 'not-run', code: 'ETIMEDOUT', text: `gave no whole reply within ${timeoutMillis} ms` };
  if (result.isMaxBuffer)
    return {
      kind: 'not-run',
      code: 'bad-reply',
      text: `a reply of more than ${readerLimits.replyBytes} bytes`,
    };
  if (result.exitCode === undefined) {
    const why = result.signal ?? result.code ?? 'EIO';
    return { kind: 'not-run', code: errno(why), text: `${program} cannot be run or was ended (${why})` };
  }
  const whole = result.stdout.endsWith('\n') ? result.stdout.slice(0, -1) : result.stdout;
  const lines = result.stdout === '' ? [] : whole.split('\n');
  const complaint = result.stderr.split('\n').find((line) => line.trim() !== '') ?? '';
  return { kind: 'ran', exitCode: result.exitCode, lines, complaint };
}

/**
 * The lines as BIRD sent them, through the reader of the socket. The 0000 at the end, which birdc keeps to itself, is put
 * back where a reply is open, or where none came behind the greeting and the restriction.
 */
function framesOf(lines: readonly string[]): readonly Frame[] {
  const reader = createReader();
  const frames = lines.flatMap((line) => [...reader.push(Buffer.from(`${asSent(line)}\n`))]);
  const last = frames.findLast((frame) => frame.kind !== 'async');
  const isAnswered = last?.kind === 'reply' && !['0001', '0016'].includes(last.reply.code);
  if (last?.kind === 'bad' || (isAnswered && !reader.pending)) return frames;
  return [...frames, ...reader.push(Buffer.from('0000 \n'))];
}

function asSent(line: string): string {
  if (line.startsWith('     ')) return ` ${line.slice(5)}`;
  return line.startsWith('>>> ') ? `+${line.slice(4)}` : line;
}

/** birdc says why it could not connect in words of the C library. */
function codeOf(complaint: string): BirdErrorCode | null {
  if (!complaint.includes('control socket')) return null;
  if (complaint.includes('No such file')) return 'ENOENT';
  if (complaint.includes('refused')) return 'ECONNREFUSED';
  return complaint.includes('ermission denied') ? 'EACCES' : null;
}

function errno(why: string): BirdErrorCode {
  return why.startsWith('E') ? `E${why.slice(1)}` : 'closed';
}
