/** `npm run lab`: the lab by hand. Exit codes: 0 done, 1 a scenario failed or the lab did not come up, 2 usage. */
import { Command, CommanderError } from 'commander';
import { catalogueText, faultAsked, UnknownFault } from './faults/catalogue.ts';
import { serveStatusUrl } from './live/status-url.ts';
import { showChanges, showLive, showOnce } from './live/show.ts';
import { registerFleet } from './fleet/command.ts';
import { freshLabId } from './network/names.ts';
import { attachNetwork } from './network/network.ts';
import { isOwnerAlive, labIds } from './network/owner.ts';
import { removeDeadLabs } from './network/removal.ts';
import { nodeFiles } from './node/config.ts';
import { startLab } from './node/lab.ts';
import { mendAll } from './node/mend.ts';
import { scenarioNamed, scenarios } from './scenarios/list.ts';
import { play, readyFor, reportText } from './scenarios/play.ts';

const program = new Command('npm run lab --')
  .description('The main job on real BIRD: a node, three carriers and an internet in network namespaces.')
  .option('--id <id>', 'name of the lab, so that several run side by side', 'lab')
  .option('--once', 'show three healthy uplinks, then end with 0', false)
  .option('--list', 'list the scenarios', false)
  .helpOption('--help', 'print this help')
  .addHelpText('after', `\nWhat \`break\` knows:\n${catalogueText}`)
  .exitOverride()
  .action((options: { readonly id: string; readonly once: boolean; readonly list: boolean }) =>
    options.list ? list() : up(options.id, options.once),
  );

program
  .command('scenario <name>')
  .description(
    'play one scripted fault in a lab of its own and print the timeline; exit 0 only if it went as it should',
  )
  .option('--json', 'print the report as JSON', false)
  .action(scenario);

program
  .command('break <subject> <what> [numbers...]')
  .description('break something in the running lab')
  .option('--region <region>')
  .option('--direction <direction>')
  .option('--family <family>')
  .action(breakIt);

registerFleet(program);
program.command('mend').description('mend everything in the running lab').action(mend);
program.command('clean').description('remove what killed labs left').action(clean);

process.exitCode = await main();
process.exit();

async function main(): Promise<number> {
  try {
    await program.parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`lab: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof UnknownFault || error instanceof RangeError ? 2 : 1;
  }
}

async function up(id: string, once: boolean): Promise<void> {
  const lab = await startLab(id, { say: (text) => console.log(`lab: ${text}`) });
  try {
    const status = await serveStatusUrl(nodeFiles(lab.network).control);
    if (process.stdout.isTTY && !once) await showLive(lab, status.url);
    console.log('lab: waiting for three healthy uplinks');
    await showOnce(lab, status.url);
    if (!once) await showChanges(lab);
  } finally {
    lab.remove();
  }
}

async function scenario(name: string, options: { readonly json: boolean }): Promise<void> {
  const found = scenarioNamed(name);
  if (found === null) {
    throw new RangeError(`no scenario \`${name}\`; \`npm run lab -- --list\` lists them`);
  }
  const say = (text: string) => console.error(`lab: ${text}`);
  const node = found.node ?? {};
  const lab = await startLab(freshLabId(), { node, say });
  try {
    say(node.proxy === true ? 'waiting for the first UPDATEs' : 'waiting for three healthy uplinks');
    await readyFor(lab, node);
    say(`scenario ${name}: ${found.summary}`);
    const report = await play(lab, found);
    console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report));
    process.exitCode = report.passed ? 0 : 1;
  } finally {
    lab.remove();
  }
}

function list(): void {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  for (const { name, summary } of scenarios) console.log(`${name.padEnd(width)}  ${summary}`);
}

interface BreakOptions {
  readonly region?: string;
  readonly direction?: string;
  readonly family?: string;
}

async function breakIt(
  subject: string,
  what: string,
  numbers: readonly string[],
  options: BreakOptions,
): Promise<void> {
  const fault = faultAsked({ subject, what, numbers, ...options });
  const network = attachNetwork(runningId());
  await fault.apply(network);
  console.log(`lab ${network.id}: ${fault.title}; \`npm run lab -- mend\` ends it`);
}

async function mend(): Promise<void> {
  const network = attachNetwork(runningId());
  await mendAll(network);
  console.log(`lab ${network.id}: mended`);
}

/** The lab of --id; without it the only one that runs. */
function runningId(): string {
  const { id } = program.opts<{ readonly id: string }>();
  if (program.getOptionValueSource('id') === 'cli') return id;
  const running = labIds().filter((one) => isOwnerAlive(one));
  const [only] = running;
  if (running.length > 1 && !running.includes(id)) {
    throw new RangeError(`several labs run (${running.join(', ')}): name one with --id`);
  }
  return running.length === 1 && only !== undefined ? only : id;
}

function clean(): void {
  const removed = removeDeadLabs();
  for (const { lab, processes, namespaces } of removed) {
    console.log(`lab ${lab}: removed ${namespaces} namespaces and ${processes} processes`);
  }
  if (removed.length === 0) console.log('nothing was left of killed labs');
}
