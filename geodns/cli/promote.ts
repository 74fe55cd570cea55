/** `causeway-geodns promote SITE`. */
import type { Command } from 'commander';
import { promote } from '../powerdns/promote.ts';
import { FilesError, readFiles } from '../service/files.ts';
import { takeFolder } from '../service/lock.ts';
import { type ConfigOptions, configFlag, jsonFlag, print } from './output.ts';

export function addPromote(program: Command): void {
  program
    .command('promote')
    .description('make another site the primary, while the service is stopped')
    .argument('<site>')
    .option(...configFlag)
    .option(...jsonFlag)
    .action(act);
}

async function act(name: string, options: ConfigOptions): Promise<void> {
  const { config } = options;
  const files = await readFiles(config);
  const site = files.sites.find((one) => one.name === name);
  if (site === undefined)
    throw new FilesError([
      `no site is called ${name}; there are ${files.sites.map((one) => one.name).join(', ')}`,
    ]);
  const giveBack = await takeFolder(files.config.state);
  const done = await promote(files.sites, files.rules.zone, site).finally(() => void giveBack());
  print(options, done, [
    `${done.primary} is the primary; fetching from it: ${done.secondaries.join(', ') || 'nobody'}`,
    ...done.untold.map((one) => `${one.name} was not told: ${one.reason}; run this again when it is back`),
    `next: put ${done.primary} first under sites in ${config}, then start the service`,
  ]);
  if (done.untold.length > 0) process.exitCode = 1;
}
