/** `npm run bench -- NAME [options]`: each benchmark is a module with `run` and a line of help. */

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
  'probe-rtt': () => import('./probe-rtt.ts'),
  soak: () => import('./soak.ts'),
};

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const load = name === undefined ? undefined : benchmarks[name];
  if (load === undefined || name === '--help') {
    const all = await Promise.all(Object.values(benchmarks).map((one) => one()));
    const lines = all.map(({ help }) => `  ${help.replaceAll('\n', '\n  ')}`);
    process.stdout.write(`Usage: npm run bench -- NAME [options]\n\n${lines.join('\n')}\n`);
    return name === undefined || name === '--help' ? 0 : 2;
  }
  const benchmark = await load();
  if (rest.includes('--help')) {
    process.stdout.write(`${benchmark.help}\n`);
    return 0;
  }
  return benchmark.run(rest);
}

process.exitCode = await main(process.argv.slice(2));
