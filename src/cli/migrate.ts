/** `causeway migrate UPLINK`: takes one uplink over from the operator's own sessions in bird.conf. */
import { mkdir } from 'node:fs/promises';
import type { Command } from 'commander';
import { configure } from '../../bird/apply/configure.ts';
import { adoptedIn, type Adopted } from '../../bird/adopt.ts';
import { foretold, migrate, type MigrateResult } from '../../bird/adopt/migrate.ts';
import type { MigratePlan } from '../../bird/adopt/migrate-plan.ts';
import { type BirdClient, BirdError } from '../../bird/client.ts';
import { openBird } from '../../bird/open.ts';
import { parseDuration } from '../config/quantities.ts';
import type { BirdSeen } from '../types/bird-view.ts';
import type { NodeConfig, Uplink } from '../types/config.ts';
import { messageOf } from '../types/message-of.ts';
import { sessionName } from '../types/protocol-names.ts';
import { families } from '../types/units.ts';
import { defaultConfigFile, examples, exitCode, type ExitCode, type Output, requireConfig } from './exit.ts';
import { journalPath, readJournal } from './migrate-journal.ts';
import { lookAt, migrateWorld, restoreKept } from './migrate-world.ts';

interface Options {
  readonly config: string;
  readonly birdConf: string;
  readonly drainFor: string;
  readonly drain: boolean;
  readonly yesReset: boolean;
  readonly json: boolean;
  readonly bird: string;
}

/** Why it is not even begun, and the exit code that says so. */
class Refusal extends Error {
  readonly code: ExitCode;
  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

const timeoutMillis = 10_000;

/**
 * Adds the subcommand. Exit codes: 0 taken over, or nothing is left to take over; 1 it was refused or put back, or
 * --yes-reset is missing; 2 config or usage; 3 BIRD cannot be reached.
 */
export function registerMigrate(program: Command, output: Output): void {
  program
    .command('migrate')
    .description(
      "take one uplink over from the operator's own sessions in bird.conf (bird.adopt), drained first",
    )
    .argument('<uplink>', 'the uplink whose sessions are taken over')
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--bird-conf <file>', 'the file that BIRD is started with', '/etc/bird/bird.conf')
    .option('--drain-for <duration>', 'how long traffic gets to go elsewhere once drained', '60s')
    .option('--no-drain', 'close the session as it is, where its export cannot be drained by text')
    .option('--yes-reset', 'do it: the sessions that are named are closed once', false)
    .option('--json', 'print plan and result as JSON', false)
    .option('--bird <binary>', 'bird to check with', 'bird')
    .addHelpText(
      'after',
      `\nWithout --yes-reset it prints what each step will do and which session it closes, and does nothing.\n${examples(
        'causeway migrate cmi',
        'causeway migrate cmi --yes-reset',
      )}`,
    )
    .action(async (uplink: string, options: Options) => {
      const read = await requireConfig(options.config, output);
      if (read === null) return;
      const client = openBird(read.config.bird, { timeoutMillis });
      try {
        await run(client, read.config, uplink, options, output);
      } catch (error) {
        output.complain(messageOf(error));
        output.end(error instanceof Refusal ? error.code : codeOfFault(error));
      } finally {
        client.close();
      }
    });
}

function codeOfFault(error: unknown): ExitCode {
  return error instanceof BirdError && error.code !== 'refused' ? exitCode.unreachable : exitCode.no;
}

async function run(
  client: BirdClient,
  config: NodeConfig,
  name: string,
  options: Options,
  output: Output,
): Promise<void> {
  const uplink = uplinkOf(config, name);
  const journal = journalPath(config.paths.state);
  await mkdir(config.paths.state, { recursive: true });
  await putBackForerunner(client, config, journal, output);
  const seen = await look(client, config);
  const adopted = adoptedIn(seen, config.bird.adopt, [uplink]);
  if (adopted.length === 0) {
    output.answer(
      options.json
        ? JSON.stringify({ steps: [], result: null }, null, 2)
        : `${name}: nothing is left to take over`,
    );
    return;
  }
  const plan = planOf(config, uplink, adopted, options);
  const steps = foretold(plan, seen);
  if (!options.json) output.answer(steps.join('\n'));
  if (!options.yesReset) {
    if (options.json) output.answer(JSON.stringify({ steps, result: null }, null, 2));
    output.complain('nothing was changed: --yes-reset does it');
    output.end(exitCode.no);
    return;
  }
  const ours = config.uplinks.filter((one) => isOurs(seen, one)).map((one) => one.name);
  const confPath = options.birdConf;
  const world = migrateWorld({ client, config, uplink: name, ours, confPath, journal, bird: options.bird });
  const result = await migrate(world, plan, (step, text) => output.complain(`${step}: ${text}`));
  if (options.json) output.answer(JSON.stringify({ steps, result }, null, 2));
  else output.answer(resultText(result, name, leftOver(config, seen, name)));
  output.end(result.kind === 'migrated' ? exitCode.done : exitCode.no);
}

function uplinkOf(config: NodeConfig, name: string): Uplink {
  const uplink = config.uplinks.find((one) => one.name === name);
  const names = config.uplinks.map((one) => one.name).join(', ');
  if (uplink === undefined) throw new Refusal(exitCode.usage, `no uplink ${name}; there are ${names}`);
  if (config.mode === 'live')
    throw new Refusal(exitCode.usage, 'mode is live: sessions are taken over while the node observes');
  if (config.bird.layout === 'whole')
    throw new Refusal(
      exitCode.usage,
      "bird.layout is whole: the operator's bird.conf has to include our file",
    );
  return uplink;
}

/** A migration that died is undone before another begins. */
async function putBackForerunner(
  client: BirdClient,
  config: NodeConfig,
  journal: string,
  output: Output,
): Promise<void> {
  const kept = await readJournal(journal);
  if (kept === null) return;
  output.complain(`put-back: a migration of ${kept.uplink} had not come to its end; both files are put back`);
  await restoreKept(journal, config.bird.config);
  await configure(client);
  await migrateWorld({
    client,
    config,
    uplink: kept.uplink,
    ours: [],
    confPath: kept.conf,
    journal,
    bird: '',
  }).forget();
}

async function look(client: BirdClient, config: NodeConfig): Promise<BirdSeen> {
  try {
    return await lookAt(client, config);
  } catch (error) {
    throw new Refusal(exitCode.unreachable, messageOf(error));
  }
}

function planOf(
  config: NodeConfig,
  uplink: Uplink,
  adopted: readonly Adopted[],
  { birdConf, drainFor, drain }: Options,
): MigratePlan {
  const duration = parseDuration(drainFor, { min: 0, max: 86_400_000 });
  if (duration.kind === 'bad')
    throw new Refusal(
      exitCode.usage,
      `--drain-for: found ${drainFor}, allowed: ${duration.flaws[0]?.allowed ?? ''}`,
    );
  return {
    uplink: uplink.name,
    adopted,
    services: adopted.flatMap(({ family }) =>
      config.services.flatMap((service) => {
        const prefixes = service.prefixes.filter((one) => one.family === family).map(({ text }) => text);
        return prefixes.length === 0 ? [] : [{ name: service.name, family, prefixes }];
      }),
    ),
    confPath: birdConf,
    ownedPath: config.bird.config,
    marks: { asn: config.node.asn, ...config.policy.drain },
    drainMillis: duration.value,
    drainFirst: drain,
  };
}

function isOurs(seen: BirdSeen, uplink: Uplink): boolean {
  return families.some((family) => seen.protocols.has(sessionName(uplink.name, family)));
}

/** Uplinks whose sessions are still the operator's after this one. */
function leftOver(config: NodeConfig, seen: BirdSeen, done: string): readonly string[] {
  const names = adoptedIn(seen, config.bird.adopt, config.uplinks).map(({ uplink }) => uplink);
  return [...new Set(names)].filter((name) => name !== done);
}

function resultText(result: MigrateResult, name: string, left: readonly string[]): string {
  switch (result.kind) {
    case 'migrated':
      return left.length > 0
        ? `${name} is taken over; next: causeway migrate ${left[0]}`
        : `${name} is taken over, and with it all of them: take bird.adopt out of the config, set mode: live, and restart causeway`;
    case 'refused':
      return `nothing was changed: ${result.why}`;
    case 'put-back':
      return `both files are as before: ${result.why}`;
    case 'stuck':
      return `look at it by hand: ${result.why}`;
  }
}
