/**
 * `npm run chaos`: random faults on the five-node lab, judged from outside. Exit codes: 0 every invariant held, 1 one was
 * broken or the lab did not come up, 2 usage.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { exitCodeOf } from '../exit-code.ts';
import type { Breach } from './breach.ts';
import { type Fact, factLine, readFacts } from './facts.ts';
import { judge } from './judge.ts';
import { freshen, play, type PlayOptions } from './play.ts';
import { type Plant, plantNamed, plants } from './plants.ts';
import { summaryOf, summaryText } from './report.ts';
import { scheduleOf } from './schedule.ts';
import { readScript, scriptText, type Script } from './script.ts';
import { shrink, upTo } from './shrink.ts';
import { startWorld, type World } from './world.ts';

interface Options {
  readonly minutes: number;
  readonly seed: number;
  readonly nodes: number;
  readonly json: boolean;
  readonly script?: string;
  readonly judge?: string;
  readonly plant?: string;
  readonly shrink: number;
  readonly log?: string;
}

const program = new Command('npm run chaos --')
  .description(
    'Random faults on the five-node lab with Redis, GeoDNS and edges; what carriers and DNS see is judged.',
  )
  .option('--minutes <n>', 'how long faults are made', numberFrom(0.2, 600), 5)
  .option('--seed <n>', 'of the schedule; the same seed, the same faults', numberFrom(0, 2 ** 31), 1)
  .option('--nodes <n>', 'how many of the five nodes run: 2 to 5', numberFrom(2, 5), 5)
  .option('--script <file>', 'play this script instead of a schedule')
  .option('--judge <file>', 'judge the log of a run again, without a lab')
  .option('--plant <name>', `plant a bug: ${plants.map(({ name }) => name).join(', ')}`)
  .option('--shrink <runs>', 'most runs to shorten a failing script; 0: none', numberFrom(0, 100), 0)
  .option('--log <file>', 'where the facts go; default: in the folder for temporary files')
  .option('--json', 'print the summary as JSON', false)
  .helpOption('--help', 'print this help')
  .exitOverride()
  .action(chaos);

process.exitCode = await exitCodeOf(program, 'chaos');
process.exit();

async function chaos(options: Options): Promise<void> {
  if (options.judge !== undefined) {
    show(readFacts(options.judge), options);
    return;
  }
  const plant = options.plant === undefined ? null : plantNamed(options.plant);
  const given = options.script === undefined ? null : readScript(options.script);
  const nodes = given?.nodes ?? options.nodes;
  const world = await startWorld(nodes, say);
  try {
    const script = given ?? scriptFor(world, options, plant);
    const facts = await play(world, script, playOptions(script, plant));
    const log = options.log ?? join(tmpdir(), `causeway-chaos-${script.seed}.jsonl`);
    writeFileSync(log, facts.map((fact) => `${factLine(fact)}\n`).join(''));
    const breaches = show(facts, options);
    say(`facts: ${log}`);
    await keepScript(world, { script, plant }, breaches, options, facts);
  } finally {
    world.remove();
  }
}

function scriptFor(world: World, options: Options, plant: Plant | null): Script {
  if (plant !== null)
    return {
      seed: options.seed,
      nodes: options.nodes,
      durationMillis: plant.durationMillis,
      faults: plant.faults,
    };
  const durationMillis = options.minutes * 60_000;
  return {
    seed: options.seed,
    nodes: options.nodes,
    durationMillis,
    faults: scheduleOf({
      seed: options.seed,
      nodes: world.nodes,
      edges: world.edges,
      clocks: world.clocks,
      durationMillis,
    }),
  };
}

function playOptions(script: Script, plant: Plant | null): PlayOptions {
  const began = performance.now();
  const total = Math.round(script.durationMillis / 1000);
  return {
    say: (text) => say(`${Math.round((performance.now() - began) / 1000)}/${total} s  ${text}`),
    ...(plant?.beside === undefined ? {} : { beside: plant.beside }),
    ...(plant?.beforeRecords === undefined ? {} : { beforeRecords: plant.beforeRecords }),
  };
}

function show(facts: readonly Fact[], options: Options): readonly Breach[] {
  const breaches = judge(facts);
  const summary = summaryOf(facts, breaches);
  const text = options.json
    ? JSON.stringify(summary, null, 2)
    : summaryText(summary, facts.find(({ kind }) => kind === 'begin')?.at ?? 0);
  process.stdout.write(`${text}\n`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
  return breaches;
}

/** What is played again to shorten it: the bug, if one is planted, stays. */
interface Played {
  readonly script: Script;
  readonly plant: Plant | null;
}

/** Writes what failed as a script, and shortens it where runs were allowed. */
async function keepScript(
  world: World,
  { script, plant }: Played,
  breaches: readonly Breach[],
  options: Options,
  facts: readonly Fact[],
): Promise<void> {
  const [first] = breaches;
  const begin = facts.find(({ kind }) => kind === 'begin')?.at ?? 0;
  if (first === undefined) return;
  const short = upTo(script, first.at - begin);
  const file = join(tmpdir(), `causeway-chaos-${script.seed}.json`);
  writeFileSync(file, scriptText(short));
  say(`replay: npm run chaos -- --script ${file}${plant === null ? '' : ` --plant ${plant.name}`}`);
  if (options.shrink === 0) return;
  const fails = (candidate: Script): Promise<boolean> =>
    failsAgain(world, { script: candidate, plant }, first);
  const shrunk = await shrink(short, fails, options.shrink);
  writeFileSync(file, scriptText(shrunk.script));
  say(
    `shrunk from ${short.faults.length} to ${shrunk.script.faults.length} faults in ${shrunk.runs} runs: ${file}`,
  );
}

/** In the same lab; a run that cannot begin healthy shows nothing. */
async function failsAgain(world: World, { script, plant }: Played, breach: Breach): Promise<boolean> {
  if (!(await freshen(world))) {
    say('the lab did not become healthy again: not played');
    return false;
  }
  const facts = await play(world, script, playOptions(script, plant));
  const fails = judge(facts).some(({ invariant }) => invariant === breach.invariant);
  say(`${script.faults.length} faults: ${breach.invariant} ${fails ? 'broken again' : 'held'}`);
  return fails;
}

function numberFrom(low: number, high: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < low || value > high)
      throw new InvalidArgumentError(`write a number from ${low} to ${high}`);
    return value;
  };
}

function say(text: string): void {
  process.stderr.write(`chaos: ${text}\n`);
}
