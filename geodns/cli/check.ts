/** `causeway-geodns check`. */
import type { Command } from 'commander';
import { readTls } from '../api/listener.ts';
import { viewOf } from '../decision/availability.ts';
import { emptyState } from '../decision/state.ts';
import { settingProblems } from '../powerdns/settings.ts';
import { renderZone } from '../render/zone.ts';
import { type Files, readFiles } from '../service/files.ts';
import { type ConfigOptions, configFlag, jsonFlag, print } from './output.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .description('check every file, and with --sites the settings of the PowerDNS servers')
    .option(...configFlag)
    .option('--sites', 'ask the sites as well')
    .option(...jsonFlag)
    .action(check);
}

async function check(options: ConfigOptions & { readonly sites?: boolean }): Promise<void> {
  const files = await readFiles(options.config);
  const { tls } = files.config;
  if (tls !== undefined) await readTls({ certFile: tls.cert_file, keyFile: tls.key_file });
  const zone = renderZone(viewOf(files.rules, emptyState, Date.now()), files.networks, 1);
  const problems = options.sites === true ? await problemsOf(files) : [];
  const found = {
    zone: files.rules.zone,
    rrsets: zone.rrsets.length,
    networks: files.networks.version,
    problems,
  };
  const head = `${found.zone} ${found.rrsets} rrsets, networks.yaml ${found.networks}`;
  print(options, found, [head, ...problems]);
  if (problems.length > 0) process.exitCode = 1;
}

async function problemsOf({ sites }: Files): Promise<readonly string[]> {
  const asked = sites.map((site, index) => settingProblems(site, index === 0 ? 'primary' : 'secondary'));
  return (await Promise.all(asked)).flat();
}
