/**
 * `npm run bench:edge`: the edge beside nginx alone, nginx's limit_req, the original listings (written anew) and a Redis call
 * for each request. Ratios and medians of interleaved rounds count; absolute numbers are the machine's.
 */
import { parseArgs } from 'node:util';
import { report } from '../report.ts';
import { measureAdmitted, measureMicro } from './alone.ts';
import { pushPiece } from './pushes.ts';
import { kept, textOf } from './report.ts';
import type { Piece } from './report.ts';
import { startBench } from './site.ts';
import type { Bench } from './site.ts';
import { measureStall } from './stall.ts';
import { stateWord } from './word.ts';
import { measureCpu, measureWays } from './ways.ts';
import type { Effort } from './ways.ts';

export const help = `edge [--only cpu,ways,admitted,micro,stall,push] [--seconds N] [--rounds N] [--json] [--write FILE]
  what the edge costs and how true its limits are, beside nginx alone, limit_req, the original listings and Redis per request`;

const pieces: Readonly<Record<string, (effort: Effort) => Promise<Piece>>> = {
  cpu: (effort) => withBench((bench) => measureCpu(bench, effort)),
  ways: (effort) => withBench((bench) => measureWays(bench, effort)),
  admitted: measureAdmitted,
  micro: measureMicro,
  stall: () => withBench(measureStall, {}),
  push: () => withBench(pushPiece),
};

async function withBench(
  measure: (bench: Bench) => Promise<Piece>,
  patience?: { readonly reply?: string },
): Promise<Piece> {
  const bench = await startBench((self) => stateWord(self), patience);
  try {
    return await measure(bench);
  } finally {
    await bench.close();
  }
}

/** Exit code: 0 where every gate is kept, 1 where one is missed, 2 for options that are none. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: Object.keys(pieces).join(',') },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
      write: { type: 'string' },
    },
  });
  const effort = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
  const results: Piece[] = [];
  for (const name of values.only.split(',')) {
    const measure = pieces[name];
    if (measure === undefined) {
      process.stderr.write(`there is no piece ${name}; there are: ${Object.keys(pieces).join(', ')}\n`);
      return 2;
    }
    process.stderr.write(`edge: ${name} …\n`);
    results.push(await measure(effort));
  }
  report(args, { name: 'edge', text: textOf(results), json: results, isMarkdown: true });
  return results.flatMap(({ gates }) => gates).every(kept) ? 0 : 1;
}
