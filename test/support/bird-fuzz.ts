/**
 * Byte streams for the reader and the parsers: real replies of five versions, cut, spliced, repeated and overwritten, and
 * noise. Seeded, so that a stream that fails can be made again by its number.
 */
import { createReader, type Frame, type Reply } from '../../bird/codec.ts';
import { configureOutcome, configureRefusal } from '../../bird/parse/configure.ts';
import { parseProtocols } from '../../bird/parse/protocols.ts';
import { parseRouteCount } from '../../bird/parse/route-count.ts';
import { parseRoutes } from '../../bird/parse/routes.ts';
import { parseStatus } from '../../bird/parse/status.ts';
import { readTime } from '../../bird/parse/time.ts';
import { readTranscript, transcriptNames, versions } from '../contract/transcript.ts';

/** How a stream was made. Of a `truncated` one no list may come. */
export type StreamKind = 'truncated' | 'mutated' | 'noise';

export interface Stream {
  readonly kind: StreamKind;
  readonly bytes: Buffer;
}

export interface Streams {
  next(): Stream;
}

/** Whole replies, small enough that a million of them take minutes: long lists are cut into lists of a few protocols. */
const seeds: readonly Buffer[] = versions.flatMap((version) =>
  transcriptNames(version)
    .filter((name) => !/^(14|15|22|operator)/.test(name))
    .flatMap((name) => readTranscript(version, name))
    // Some have an asynchronous line behind their end.
    .filter(({ command, bytes }) => command !== null && /^\d{4} [^\n]*\n$/m.test(lastLine(bytes)))
    .flatMap(({ bytes }) => shortened(bytes)),
);

function lastLine(bytes: Buffer): string {
  const text = bytes.toString();
  return text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
}

const tokens: readonly Buffer[] = [
  '\n',
  '0000 \n',
  '0000 ',
  '1002-',
  '1006-',
  '1007-',
  ' ',
  '+',
  '+async\n',
  '8000-<line overflow>\n',
  '\0',
  '\r\n',
  '1002-announce_cmi_web4 Static t_cmi4 up 01:00:00  \n',
  '1006-  Channel ipv4\n',
  '    State:          UP\n',
  ' \n',
  '9001 syntax error\n',
  '8001 Network not found\n',
  '0013 Daemon is up and running\n',
  '\u00fc',
  '\u001b[31m',
  '-',
  '9',
  '\t',
].map((text) => Buffer.from(text)); // prettier-ignore

/** All streams of a seed, one after the other. */
export function streamsOf(seed: number): Streams {
  const random = generator(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)];
    if (one === undefined) throw new Error('an empty list');
    return one;
  };
  const makers: Readonly<Record<StreamKind, () => Buffer>> = {
    truncated: () => {
      const whole = pick(seeds);
      return whole.subarray(0, below(whole.length));
    },
    mutated: () => {
      let bytes = pick(seeds);
      for (let turn = below(6); turn >= 0; turn -= 1) bytes = mutate(bytes);
      return bytes;
    },
    noise: () => Buffer.from(Array.from({ length: below(300) }, () => below(256))),
  };

  function mutate(bytes: Buffer): Buffer {
    const [a, b] = [below(bytes.length + 1), below(bytes.length + 1)];
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    const [head, piece, tail] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
    switch (below(7)) {
      case 0:
        return head;
      case 1:
        return Buffer.concat([head, tail]);
      case 2:
        return Buffer.concat([head, piece, piece, tail].map((one) => one.subarray(0, 8000)));
      case 3:
        return Buffer.concat([head, pick(seeds), bytes.subarray(from)]);
      case 4:
        return Buffer.concat([head, pick(tokens), bytes.subarray(from)]);
      case 5:
        return overwritten(bytes, from, below(256));
      default:
        return swappedLines(bytes, a, b);
    }
  }

  return {
    next() {
      const share = random();
      const kind = share < 0.3 ? 'truncated' : share < 0.95 ? 'mutated' : 'noise';
      return { kind, bytes: makers[kind]() };
    },
  };
}

/** What is wrong with what becomes of a stream; null: nothing, there is a list or an error. Throws where the code does. */
export function faultOf({ kind, bytes }: Stream): string | null {
  const frames = framesIn(bytes);
  const replies = frames.flatMap((frame) => (frame.kind === 'reply' ? [frame.reply] : []));
  if (kind === 'truncated' && replies.length > 0) return 'a reply came of a stream that had not ended';
  for (const reply of replies) {
    const fault = faultOfReply(reply, bytes);
    if (fault !== null) return fault;
  }
  return null;
}

const now = readTime('2026-11-30 01:20:00.000');

function faultOfReply(reply: Reply, bytes: Buffer): string | null {
  configureOutcome(reply);
  configureRefusal(reply);
  const status = parseStatus(reply);
  const protocols = parseProtocols(reply, now);
  const routes = parseRoutes(reply);
  parseRouteCount(reply);
  // An empty answer to `show route` is a reply of one empty line, and so is none of the others.
  const readings = [status, protocols, routes?.routes.length === 0 ? null : routes].filter(
    (one) => one !== null,
  );
  if (readings.length > 1) return 'one reply was read as two things';
  if (protocols === null) return null;
  const rows = bytes.toString();
  for (const { name, state } of protocols.values()) {
    if (state === 'unknown') continue;
    if (!rowOf(name, state).test(rows)) return `${name} is ${state}, and no row of the stream says so`;
  }
  return null;
}

function rowOf(name: string, state: string): RegExp {
  const literal = name.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  return new RegExp(String.raw`^(1002-| )${literal}\s+\S+\s+\S+\s+${state}\s`, 'm');
}

/** Cut at places that depend on the stream alone. */
function framesIn(bytes: Buffer): readonly Frame[] {
  const reader = createReader();
  const size = 1 + (bytes.length % 61);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size * 7)
    frames.push(...reader.push(bytes.subarray(at, at + size * 7)));
  return frames;
}

function overwritten(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[Math.min(at, copy.length - 1)] = value;
  return copy;
}

function swappedLines(bytes: Buffer, a: number, b: number): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  const [one, other] = [a % lines.length, b % lines.length];
  [lines[one], lines[other]] = [lines[other] ?? '', lines[one] ?? ''];
  return Buffer.from(lines.join('\n'), 'latin1');
}

/** A list of more than a few protocols becomes lists of three; anything else stays. */
function shortened(bytes: Buffer): readonly Buffer[] {
  if (bytes.length < 4000) return [bytes];
  const text = bytes.toString();
  if (!text.startsWith('2002-')) return [bytes.subarray(0, 0)].filter(({ length }) => length > 0);
  const [head = '', ...blocks] = text.split(/^(?=1002-)/m);
  const bodies = blocks.map((block) => block.replace(/^0000 \n$/m, ''));
  return Array.from({ length: Math.ceil(bodies.length / 3) }, (_, index) =>
    Buffer.from(`${head}${bodies.slice(index * 3, index * 3 + 3).join('')}0000 \n`),
  );
}

/** Numbers in [0, 1): mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
