/** Runs a fuzz target: its corpus first, then mutations of seeds and corpus, for a time or a number. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutatorOf } from './mutate.ts';
import type { FuzzTarget } from './target.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Both end it, whichever comes first. */
  readonly mostMillis: number;
  readonly mostInputs: number;
  /** Whether findings are written to the corpus; absent: they are. */
  readonly keep?: boolean;
}

export interface Finding {
  readonly input: Buffer;
  readonly text: string;
  /** Where it lies in the corpus. */
  readonly file: string;
}

export interface FuzzReport {
  readonly target: string;
  readonly inputs: number;
  readonly corpus: number;
  readonly millis: number;
  readonly findings: readonly Finding[];
}

const corpusRoot = join(import.meta.dirname, 'corpus');
/** One input that takes longer holds up whoever reads it. */
const slowMillis = 2000;
const mostFindings = 10;

/** Names and bytes of what was found before, and was mended. */
export function corpusOf(name: string): readonly { readonly file: string; readonly bytes: Buffer }[] {
  const folder = join(corpusRoot, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((file) => ({ file: join(folder, file), bytes: readFileSync(join(folder, file)) }));
}

/** Findings are written to the corpus, each once. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  const began = performance.now();
  const corpus = corpusOf(target.name);
  const findings: Finding[] = [];
  let inputs = 0;
  const tryOne = async (input: Buffer): Promise<void> => {
    inputs += 1;
    const text = await faultOf(target, input);
    if (text !== null && !findings.some((one) => sameFault(one.text, text)))
      findings.push({ input, text, file: options.keep === false ? '' : keep(target.name, input) });
  };
  for (const { bytes } of corpus) await tryOne(bytes);
  const seeds = [...target.seeds(), ...corpus.map(({ bytes }) => bytes)];
  const mutator = mutatorOf(options.seed);
  const together = target.together ?? 1;
  while (
    inputs < options.mostInputs + corpus.length &&
    performance.now() - began < options.mostMillis &&
    findings.length < mostFindings
  ) {
    await Promise.all(Array.from({ length: together }, () => tryOne(mutator.next(seeds))));
  }
  const millis = Math.round(performance.now() - began);
  return { target: target.name, inputs, corpus: corpus.length, millis, findings };
}

async function faultOf(target: FuzzTarget, input: Buffer): Promise<string | null> {
  const before = process.cpuUsage();
  try {
    const text = await target.check(Buffer.from(input));
    if (text !== null) return text;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
  }
  // Of inputs that are tried side by side nobody knows which one cost the time.
  if (target.together !== undefined) return null;
  const { user, system } = process.cpuUsage(before);
  const millis = Math.round((user + system) / 1000);
  return millis > slowMillis ? `took ${millis} ms of the processor` : null;
}

/** The same place in the code, whatever the input said. */
function sameFault(one: string, other: string): boolean {
  const place = (text: string): string =>
    text.split('\n').find((line) => line.trim().startsWith('at ')) ?? text;
  return place(one) === place(other);
}

function keep(name: string, input: Buffer): string {
  const folder = join(corpusRoot, name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
  if (!existsSync(file)) writeFileSync(file, input);
  return file;
}

export function reportText({ target, inputs, corpus, millis, findings }: FuzzReport): string {
  const rate = Math.round((inputs / Math.max(1, millis)) * 1000);
  const head = `fuzz ${target}: ${inputs} inputs (${corpus} of the corpus) in ${(millis / 1000).toFixed(1)} s, ${rate}/s, ${findings.length} findings`;
  return [
    head,
    ...findings.map(
      ({ input, text, file }) =>
        `  ${text.split('\n').slice(0, 6).join('\n  ')}\n  input: ${JSON.stringify(input.toString('latin1').slice(0, 400))}\n  kept: ${file}`,
    ),
  ].join('\n');
}
