/** `causeway-geodns run`. */
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { settingProblems } from '../powerdns/settings.ts';
import { startGeoDns } from '../service/compose.ts';
import type { GeoDnsConfig } from '../service/config.ts';
import { type Files, readFiles } from '../service/files.ts';
import { RevisionStore, revisionsFolder } from '../service/revisions.ts';
import { finishWriting } from '../service/rules-desk.ts';
import { linesOf } from './failure.ts';
import { configFlag } from './output.ts';
import { readConfigFile } from './reading.ts';

/** What is not done by then when it is told to stop is left. */
const stopMillis = 900;

export function addRun(program: Command): void {
  program
    .command('run')
    .description('run the service')
    .option(...configFlag)
    .option('--take-over', 'write the zone although another folder has written it; stop that service first')
    .action(run);
}

async function run({ config, takeOver }: { config: string; takeOver?: boolean }): Promise<void> {
  const log = pino({ name: 'causeway-geodns' });
  await finishChange(await readConfigFile(config));
  const files = await readFiles(config);
  await mkdir(files.config.state, { recursive: true, mode: 0o750 });
  // Beside the start: a site that hangs must not keep the others from their answers.
  void tellSettingProblems(files, log);
  void tellUnwritable(files.config, log);
  const running = await startGeoDns(files, log, { takeOver: takeOver === true });
  log.info({ listen: files.config.listen, revision: running.service.zone()?.revision }, 'started');
  const stop = (): void => {
    // A call that hangs is left: everything acknowledged is on the disk, and PowerDNS takes a change whole or not at all.
    setTimeout(() => process.exit(0), stopMillis).unref();
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
}

/** A crash between the two files of a change would leave files that do not fit each other. */
async function finishChange({ state, rules, networks }: GeoDnsConfig): Promise<void> {
  const store = await RevisionStore.read(revisionsFolder(state)).catch(() => null);
  // What cannot be read is told when all files are read.
  if (store !== null) await finishWriting(store, { rules, networks }).catch(() => undefined);
}

/** Told at the start rather than when somebody wants to bring rules back in a hurry. */
async function tellUnwritable({ rules, networks }: GeoDnsConfig, log: Logger): Promise<void> {
  for (const path of [rules, networks])
    await access(dirname(path), constants.W_OK).catch(() =>
      log.warn({ path }, 'cannot be replaced by us: change this file by hand and reload; the API will not'),
    );
}

async function tellSettingProblems(files: Files, log: Logger): Promise<void> {
  const found = files.sites.map(async (site, index) => {
    const role = index === 0 ? 'primary' : 'secondary';
    const problems = await settingProblems(site, role).catch((error: unknown) => [String(error)]);
    for (const text of problems) log.warn({ site: site.name, text }, 'a site is not set up as it should be');
  });
  await Promise.all(found);
}
