/** `causeway simulate`: a config in a world of generated faults. */
import { Option, type Command } from 'commander';
import { parseDuration } from '../config/quantities.ts';
import { tasksOf } from '../core/probe-tasks.ts';
import { simulatedScenarios, type SimulatedScenario } from '../core/replay/scenarios.ts';
import { simulate } from '../core/replay/simulate.ts';
import { defaultConfigFile, examples, exitCode, requireConfig, type ExitCode, type Output } from './exit.ts';
import { simulationJson, simulationText } from './simulate-text.ts';

interface SimulateOptions {
  readonly config: string;
  readonly for: string;
  readonly seed: string;
  readonly json: boolean;
  readonly list: boolean;
}

const day = 86_400_000;

/** Adds the subcommand. Exit codes: 0 played, 2 bad usage or config. */
export function registerSimulate(program: Command, output: Output): void {
  program
    .command('simulate')
    .description('play a config against generated faults: a timeline, and what users have of it')
    .argument('[scenario]', 'its name; --list shows them, `all` plays them all')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--for <duration>', 'how long; what goes wrong goes wrong again each hour', '1h')
    .addOption(new Option('--seed <number>', 'of chance: the same number gives the same run').default('1'))
    .option('--json', 'print it as JSON', false)
    .option('--list', 'show the scenarios', false)
    .addHelpText(
      'after',
      examples('causeway simulate --list', 'causeway simulate all --for 1h', 'causeway simulate all --json'),
    )
    .action(async (scenario: string | undefined, options: SimulateOptions) =>
      output.end(await play(scenario, options, output)),
    );
}

async function play(name: string | undefined, options: SimulateOptions, output: Output): Promise<ExitCode> {
  if (options.list) {
    const list = simulatedScenarios.map((one) => ({ scenario: one.name, summary: one.summary }));
    if (options.json) output.answer(JSON.stringify(list, null, 2));
    else for (const one of list) output.answer(`${one.scenario.padEnd(18)} ${one.summary}`);
    return exitCode.done;
  }
  const chosen = chosenBy(name);
  const length = parseDuration(options.for, { min: 60_000, max: 400 * day });
  const seed = Number(options.seed);
  if (chosen.length === 0) return badUsage(output, 'scenario', `one of all, ${names()}`);
  if (length.kind === 'bad') return badUsage(output, '--for', length.flaws[0]?.allowed ?? '');
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32)
    return badUsage(output, '--seed', 'a whole number from 0 to 4294967295');
  const read = await requireConfig(options.config, output);
  if (read === null) return exitCode.usage;
  const { config } = read;
  const tasks = tasksOf(config);
  const played = chosen.map((scenario) => {
    const found = simulate({ config, tasks, scenario, seed, lengthMillis: length.value });
    if (!options.json) output.answer(simulationText(scenario, found));
    return simulationJson(scenario, seed, length.value, found);
  });
  if (options.json) output.answer(JSON.stringify(name === 'all' ? played : played[0], null, 2));
  return exitCode.done;
}

function chosenBy(name: string | undefined): readonly SimulatedScenario[] {
  return name === 'all' ? simulatedScenarios : simulatedScenarios.filter((one) => one.name === name);
}

function names(): string {
  return simulatedScenarios.map((one) => one.name).join(', ');
}

function badUsage(output: Output, option: string, allowed: string): ExitCode {
  output.complain(`error: ${option}: allowed: ${allowed}`);
  return exitCode.usage;
}
