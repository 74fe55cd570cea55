/** `npm run lab`: the lab by hand. Exit codes: 0 done, 1 a scenario failed or the lab did not come up, 2 usage. */
import { Command } from 'commander';
import { exitCodeOf } from './exit-code.ts';
import { catalogueText, faultAsked } from './faults/catalogue.ts';
import { serveStatusUrl } from './live/status-url.ts';
import { showChanges, showLive, showOnce } from './live/show.ts';
import { registerFleet } from './fleet/command.ts';
import { type GeoDnsBeside, startGeoDnsBeside } from './geodns/beside.ts';
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
  .option('--geodns', 'with GeoDNS at three sites, which the node tells; needs PowerDNS', false)
  .helpOption('--help', 'print this help')
  .addHelpText('after', `\nWhat \`break\` knows:\n${catalogueText}`)
  .exitOverride()
  .action((options: UpOptions & { readonly list: boolean }) => (options.list ? list() : up(options)));

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

process.exitCode = await exitCodeOf(program, 'lab');
process.exit();

interface UpOptions {
  readonly id: string;
  readonly once: boolean;
  readonly geodns: boolean;
}

async function up({ id, once, geodns }: UpOptions): Promise<void> {
  if (!geodns) return upBeside(id, once, null);
  const beside = await startGeoDnsBeside();
  try {
    await upBeside(id, once, beside);
  } finally {
    await beside.stop();
  }
}

async function upBeside(id: string, once: boolean, beside: GeoDnsBeside | null): Promise<void> {
  const node = beside === null ? {} : { geodns: beside.node };
  const lab = await startLab(id, { node, say: (text) => console.log(`lab: ${text}`) });
  try {
    await beside?.connect(lab.network);
    const beneath = beside === null ? undefined : (): Promise<string> => answersText(beside);
    const status = await serveStatusUrl(nodeFiles(lab.network).control);
    if (process.stdout.isTTY && !once) await showLive(lab, status.url, beneath);
    console.log('lab: waiting for three healthy uplinks');
    await showOnce(lab, status.url, beneath);
    if (!once) await showChanges(lab);
  } finally {
    lab.remove();
  }
}

async function answersText(beside: GeoDnsBeside): Promise<string> {
  const now = await beside.answers().catch(() => []);
  const lines = now.map(({ site, addresses }) => `  ${site}  answers ${addresses || 'nothing'}`);
  return `\n${beside.guide}\n${lines.join('\n')}\n`;
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
