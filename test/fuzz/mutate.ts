/** Inputs for the fuzzers: seeds, mutated by bytes, by lines, by values of JSON, and spliced. Seeded. */
import { chanceOf } from '../../src/core/replay/chance.ts';

export interface Mutator {
  /** Another input, made from one of these. */
  next(seeds: readonly Buffer[]): Buffer;
}

const largestBytes = 20_000;

/** Texts that have broken parsers before, of this or other programs. */
const oddities: readonly Buffer[] = [
  '',
  '\0',
  '\n',
  '\r\n',
  '"',
  '{',
  '[]',
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '-0',
  'NaN',
  '__proto__',
  'constructor',
  '\u00fc',
  '\ud83d\ude00',
  '\u202e',
  '%s%n',
  '&a',
  '*a',
  '<<: *a',
  '!!js/function',
  '? ',
  '- - - -',
  '\t',
  '#',
  '::ffff:1.2.3.4',
  '0.0.0.0/0',
  '::/0',
  '1.2.3.4/33',
  '2026-02-30T25:61:61Z',
].map((text) => Buffer.from(text));

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 53),
  1e308,
  '',
  ' ',
  'x'.repeat(300),
  '\u0000',
  '__proto__',
  [],
  {},
  [[]],
  { '': '' },
  [null],
  '1970-01-01T00:00:00Z',
  'withdraw',
];

export function mutatorOf(seed: number): Mutator {
  const chance = chanceOf(seed);
  const below = (limit: number): number => Math.floor(chance() * limit);
  const pick = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)];
    if (one === undefined) throw new RangeError('nothing to pick from');
    return one;
  };

  function bytewise(bytes: Buffer, seeds: readonly Buffer[]): Buffer {
    const [a, b] = [below(bytes.length + 1), below(bytes.length + 1)];
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    const [head, piece, tail] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
    switch (below(8)) {
      case 0:
        return head;
      case 1:
        return Buffer.concat([head, tail]);
      case 2:
        return Buffer.concat([head, piece, piece, tail]);
      case 3: {
        const other = pick(seeds);
        return Buffer.concat([head, other.subarray(below(other.length + 1))]);
      }
      case 4:
        return Buffer.concat([head, pick(oddities), bytes.subarray(from)]);
      case 5:
        return Buffer.concat([head, pick(oddities), tail]);
      case 6: {
        const copy = Buffer.from(bytes);
        if (copy.length > 0) copy[below(copy.length)] = pick([0, 1, 127, 128, 192, 255, below(256)]);
        return copy;
      }
      default: {
        const copy = Buffer.from(bytes);
        const at = below(copy.length);
        if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << below(8));
        return copy;
      }
    }
  }

  /** Exchanges, removes or repeats a value somewhere in a JSON text; null: it is none. */
  function jsonwise(bytes: Buffer): Buffer | null {
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString('utf8'));
    } catch {
      return null;
    }
    return Buffer.from(JSON.stringify(changed(value)) ?? '');
  }

  function changed(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || below(6) === 0) return pick(oddValues);
    const keys = Object.keys(value);
    if (keys.length === 0) return pick(oddValues);
    const key = pick(keys);
    if (Array.isArray(value)) {
      const list: unknown[] = [...(value as readonly unknown[])];
      const at = Number(key);
      const way = below(5);
      if (way === 0) list.splice(at, 1);
      else if (way === 1) list.push(list[at]);
      else list[at] = changed(list[at]);
      return list;
    }
    const copy: Record<string, unknown> = { ...value };
    if (below(6) === 0) delete copy[key];
    else if (below(8) === 0) copy[pick(['__proto__', 'x', '', key])] = pick(oddValues);
    else copy[key] = changed(copy[key]);
    return copy;
  }

  /** Moves, doubles or indents lines, for texts in which they count. */
  function linewise(bytes: Buffer): Buffer {
    const lines = bytes.toString('latin1').split('\n');
    const at = below(lines.length);
    const other = below(lines.length);
    const line = lines[at] ?? '';
    switch (below(4)) {
      case 0:
        lines.splice(at, 1);
        break;
      case 1:
        lines.splice(other, 0, line);
        break;
      case 2:
        lines[at] = `  ${line}`;
        break;
      default:
        [lines[at], lines[other]] = [lines[other] ?? '', line];
    }
    return Buffer.from(lines.join('\n'), 'latin1');
  }

  return {
    next(seeds) {
      let bytes = pick(seeds);
      for (let turn = below(4); turn >= 0; turn -= 1) {
        const way = below(10);
        if (way < 4) bytes = jsonwise(bytes) ?? bytewise(bytes, seeds);
        else bytes = way < 6 ? linewise(bytes) : bytewise(bytes, seeds);
        bytes = bytes.subarray(0, largestBytes);
      }
      return bytes;
    },
  };
}
