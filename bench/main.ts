/** `npm run bench -- NAME... [options]`: each benchmark is a module with `run` and a line of help. */
import { messageOf } from '../src/types/message-of.ts';

interface Benchmark {
  readonly help: string;
  /** Gives the exit code: 0 where every promise is kept. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  arena: () => import('./arena/main.ts'),
  'bird-poll': () => import('./bird-poll.ts'),
  'bird-render': () => import('./bird-render.ts'),
  'bird-withdraw': () => import('./bird-withdraw.ts'),
  decide: () => import('./decide.ts'),
  edge: () => import('./edge/main.ts'),
  'geodns-removal': () => import('./geodns-removal.ts'),
  'geodns-tell': () => import('./geodns-tell.ts'),
  'http-load': () => import('./http-load.ts'),
  'fleet-load': () => import('./fleet-load.ts'),
  'fleet-token': () => import('./fleet-token.ts'),
  peers: () => import('./peers/main.ts'),
  'probe-cpu': () => import('./probe-cpu.ts'),
  'probe-memory': () => import('./probe-memory.ts'),
  'probe-rtt': () => import('./probe-rtt.ts'),
  scale: () => import('./scale/main.ts'),
  soak: () => import('./soak.ts'),
};

async function main(args: readonly string[]): Promise<number> {
  const count = args.findIndex((word) => word.startsWith('-'));
  const names = count === -1 ? args : args.slice(0, count);
  const options = args.slice(names.length);
  const chosen = names.length === 1 && names[0] === 'all' ? Object.keys(benchmarks) : names;
  const unknown = chosen.find((name) => benchmarks[name] === undefined);
  if (unknown !== undefined)
    process.stderr.write(
      `there is no benchmark ${unknown}; there are: ${Object.keys(benchmarks).join(', ')}\n`,
    );
  if (chosen.length === 0 || unknown !== undefined) {
    process.stdout.write(await usage());
    return chosen.length === 0 && options.every((word) => word === '--help') ? 0 : 2;
  }
  let worst = 0;
  for (const name of chosen) worst = Math.max(worst, await runOne(name, options, chosen.length > 1));
  return worst;
}

async function usage(): Promise<string> {
  const all = await Promise.all(Object.values(benchmarks).map((one) => one()));
  const lines = all.map(({ help }) => `  ${help.replaceAll('\n', '\n  ')}`);
  return `Usage: npm run bench -- NAME... [options]\n  one after the other; \`all\`: every one\n\n${lines.join('\n')}\n`;
}

/** With `isOneOfMany` a heading before it, and a failure is a bad result, not the end of the others. */
async function runOne(name: string, options: readonly string[], isOneOfMany: boolean): Promise<number> {
  const benchmark = await benchmarks[name]?.();
  if (benchmark === undefined) return 2;
  if (options.includes('--help')) {
    process.stdout.write(`${benchmark.help}\n`);
    return 0;
  }
  if (isOneOfMany) process.stderr.write(`== ${name}\n`);
  try {
    return await benchmark.run(options);
  } catch (error) {
    const isUsage = error instanceof RangeError;
    if (!isOneOfMany && !isUsage) throw error;
    process.stderr.write(`${name}: ${messageOf(error)}\n`);
    return isUsage ? 2 : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
