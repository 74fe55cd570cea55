/** The command `causeway-geodns`. Exit codes: 0 done, 1 the answer is no, 2 usage or files, 3 not reachable. */
import { mkdir, readFile } from 'node:fs/promises';
import { stdout } from 'node:process';
import { Command } from 'commander';
import { pino } from 'pino';
import { parseClient } from './address.ts';
import { viewOf } from './decision/availability.ts';
import { clientOf, decide } from './decision/decide.ts';
import { emptyState } from './decision/state.ts';
import { MmdbError, openMmdb } from './mmdb/geo.ts';
import { addressesOfRecords } from './mmdb/walk.ts';
import { loadNetworks } from './networks/load.ts';
import { type NamedAsn, propose } from './networks/propose.ts';
import { promote } from './powerdns/promote.ts';
import { settingProblems } from './powerdns/site.ts';
import { renderZone } from './render/zone.ts';
import { startGeoDns } from './service/compose.ts';
import { FilesError, readFiles } from './service/files.ts';
import { takeFolder } from './service/lock.ts';
import { formatProblem } from './yaml-file.ts';

const defaultConfig = '/etc/causeway-geodns/geodns.yaml';
const say = (line: string): void => {
  stdout.write(`${line}\n`);
};

const program = new Command('causeway-geodns').description(
  'Answers users by access network, country and subnet, and takes a lost uplink out of the answers at once',
);

program
  .command('run')
  .description('run the service')
  .option('-c, --config <file>', 'configuration', defaultConfig)
  .action(async ({ config }: { config: string }) => {
    const log = pino({ name: 'causeway-geodns' });
    const files = await readFiles(config);
    await mkdir(files.config.state, { recursive: true, mode: 0o750 });
    for (const site of files.sites) {
      const problems = await settingProblems(site).catch((error: unknown) => [String(error)]);
      for (const text of problems)
        log.warn({ site: site.name, text }, 'a site is not set up as it should be');
    }
    const running = await startGeoDns(files, log);
    log.info({ listen: files.config.listen, revision: running.service.zone()?.revision }, 'started');
    const stop = (): void => {
      void running.stop().then(() => log.info({}, 'stopped'));
    };
    process.on('SIGHUP', () => {
      readFiles(config)
        .then((fresh) => running.reload(fresh))
        .catch((error: unknown) =>
          log.error({ lines: linesOf(error) }, 'the files are refused; the old ones stay in force'),
        );
    });
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });

program
  .command('check')
  .description('check every file, and with --sites the settings of the PowerDNS servers')
  .option('-c, --config <file>', 'configuration', defaultConfig)
  .option('--sites', 'ask the sites as well')
  .action(async ({ config, sites }: { config: string; sites?: boolean }) => {
    const files = await readFiles(config);
    const zone = renderZone(viewOf(files.rules, emptyState, Date.now()), files.networks, 1);
    say(`${files.rules.zone} ${zone.rrsets.length} rrsets, networks.yaml ${files.networks.version}`);
    if (sites !== true) return;
    const problems = (await Promise.all(files.sites.map(settingProblems))).flat();
    for (const problem of problems) say(problem);
    if (problems.length > 0) process.exitCode = 1;
  });

program
  .command('promote')
  .description('make another site the primary, while the service is stopped')
  .argument('<site>')
  .option('-c, --config <file>', 'configuration', defaultConfig)
  .action(async (name: string, { config }: { config: string }) => {
    const files = await readFiles(config);
    const site = files.sites.find((one) => one.name === name);
    if (site === undefined)
      throw new FilesError([
        `no site is called ${name}; there are ${files.sites.map((one) => one.name).join(', ')}`,
      ]);
    const giveBack = await takeFolder(files.config.state);
    const done = await promote(files.sites, files.rules.zone, site).finally(() => void giveBack());
    say(`${done.primary} is the primary; fetching from it: ${done.secondaries.join(', ') || 'nobody'}`);
    for (const { name: untold, reason } of done.untold)
      say(`${untold} was not told: ${reason}; run this again when it is back`);
    say(`next: put ${done.primary} first under sites in ${config}, then start the service`);
    if (done.untold.length > 0) process.exitCode = 1;
  });

program
  .command('decide')
  .description('who would be answered with what, were every target up, and why')
  .argument('<name>')
  .argument('<address>')
  .option('-c, --config <file>', 'configuration', defaultConfig)
  .option('--type <type>', 'A or AAAA', 'A')
  .action(async (name: string, text: string, options: { config: string; type: string }) => {
    const files = await readFiles(options.config);
    const address = parseClient(text);
    const policy = files.rules.names.get(name.endsWith('.') ? name : `${name}.`);
    if (address === undefined || policy === undefined)
      throw new FilesError([
        address === undefined ? `"${text}" is not an address` : `the rules have no name ${name}`,
      ]);
    const view = viewOf(files.rules, emptyState, Date.now());
    const client = clientOf(files.networks, address, files.lookup(address));
    const decision = decide(view, policy, client, options.type === 'AAAA' ? 6 : 4);
    for (const line of decision.why) say(line);
    say(JSON.stringify(decision.answer));
  });

program
  .command('propose')
  .description("propose ASNs for networks.yaml from an MMDB's organisation names; a person decides")
  .requiredOption('--networks <file>', 'networks.yaml')
  .requiredOption('--mmdb <file>', 'ASN database')
  .action(async (options: { networks: string; mmdb: string }) => {
    const loaded = loadNetworks(options.networks, await readFile(options.networks, 'utf8'));
    if (loaded.kind === 'refused') throw new FilesError(loaded.problems.map(formatProblem));
    const found = propose(loaded.value, await namedAsns(options.mmdb));
    for (const one of found.add)
      say(`add     ${one.network.padEnd(12)} AS${one.asn} ${one.organisation} (${one.pattern})`);
    for (const one of found.unclear)
      say(`unclear ${one.networks.join(',').padEnd(12)} AS${one.asn} ${one.organisation}`);
    for (const one of found.check) say(`check   ${one.network.padEnd(12)} AS${one.asn} ${one.organisation}`);
    for (const one of found.absent) say(`absent  ${one.network.padEnd(12)} AS${one.asn}`);
  });

async function namedAsns(path: string): Promise<readonly NamedAsn[]> {
  const { file, reader } = await openMmdb(path, 'asn');
  const named = new Map<number, string>();
  for (const address of addressesOfRecords(file, reader)) {
    const record: unknown = reader.get(address);
    if (typeof record !== 'object' || record === null) continue;
    const asn: unknown = Reflect.get(record, 'autonomous_system_number');
    const organisation: unknown = Reflect.get(record, 'autonomous_system_organization');
    if (typeof asn === 'number' && typeof organisation === 'string') named.set(asn, organisation);
  }
  return [...named].map(([asn, organisation]) => ({ asn, organisation }));
}

function linesOf(error: unknown): readonly string[] {
  return error instanceof FilesError ? error.lines : [error instanceof Error ? error.message : String(error)];
}

try {
  await program.parseAsync();
} catch (error) {
  const lines =
    error instanceof FilesError ? error.lines : [error instanceof Error ? error.message : String(error)];
  for (const line of lines) process.stderr.write(`${line}\n`);
  const refused = error instanceof FilesError || error instanceof MmdbError;
  // To `check`, a bad file is the answer, not a mistake in asking.
  process.exitCode = !refused ? 3 : process.argv[2] === 'check' ? 1 : 2;
}
