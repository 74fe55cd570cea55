/** `npm run lab -- fleet`: the five-node lab by hand, and its scenarios. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { freshLabId } from '../network/names.ts';
import { reportText } from '../scenarios/play.ts';
import { startFleet, waitFleetHealthy, type Fleet } from './fleet.ts';
import { fleetScenarioNamed, fleetScenarios } from './list.ts';
import { playFleet, readyForFleet } from './play.ts';
import { fleetFooter, fleetTable } from './show.ts';

const clearScreen = '\u001B[H\u001B[2J';

export function registerFleet(program: Command): void {
  const command = program
    .command('fleet')
    .description('five nodes with three carriers each, and a Redis with a replica and three Sentinels')
    .addHelpText(
      'after',
      '\n--id, --once and --list as of the lab with one node: --list lists the scenarios of the fleet.',
    )
    .action(() => {
      // The program's own options are taken wherever they stand.
      const options = program.opts<{ readonly id: string; readonly once: boolean; readonly list: boolean }>();
      return options.list ? list() : up(options.id, options.once);
    });
  command
    .command('scenario <name>')
    .description('play one in a lab of its own and print the timeline; exit 0 only if it went as it should')
    .option('--json', 'print the report as JSON', false)
    .action(scenario);
}

async function up(id: string, once: boolean): Promise<void> {
  const fleet = await startFleet(id, { say: (text) => console.log(`lab: ${text}`) });
  try {
    console.log('lab: waiting for five nodes with three healthy uplinks each');
    await waitFleetHealthy(fleet, 120_000);
    if (once) console.log(await pageOf(fleet));
    else await showChanges(fleet);
  } finally {
    fleet.remove();
  }
}

/** The table anew each second on a terminal; elsewhere each change of it; until the process is ended. */
async function showChanges(fleet: Fleet): Promise<never> {
  let shown = '';
  for (;;) {
    const page = await pageOf(fleet);
    if (page !== shown) console.log(process.stdout.isTTY ? `${clearScreen}${page}` : page);
    shown = page;
    await pause(1000);
  }
}

async function pageOf(fleet: Fleet): Promise<string> {
  return `${await fleetTable(fleet)}\n\n${fleetFooter(fleet)}`;
}

async function scenario(name: string, options: { readonly json: boolean }): Promise<void> {
  const found = fleetScenarioNamed(name);
  if (found === null)
    throw new RangeError(`no scenario \`${name}\` of the fleet; \`npm run lab -- fleet --list\` lists them`);
  const say = (text: string) => console.error(`lab: ${text}`);
  const fleet = await startFleet(freshLabId(), { say });
  try {
    say('waiting for five healthy nodes that see each other');
    await readyForFleet(fleet);
    say(`scenario ${name}: ${found.summary}`);
    const report = await playFleet(fleet, found);
    console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report));
    process.exitCode = report.passed ? 0 : 1;
  } finally {
    fleet.remove();
  }
}

function list(): void {
  const width = Math.max(...fleetScenarios.map(({ name }) => name.length));
  for (const { name, summary } of fleetScenarios) console.log(`${name.padEnd(width)}  ${summary}`);
}
