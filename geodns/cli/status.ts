/** `causeway-geodns status`: sites, targets and alarms of the running service; 1 where something needs a person. */
import type { Command } from 'commander';
import type { GeoDnsSites, GeoDnsState } from '../../src/types/wire/geodns-answers.ts';
import { families } from '../../src/types/units.ts';
import { print } from './output.ts';
import { type ServiceOptions, serviceOf, withServiceOptions } from './service-command.ts';

export function addStatus(program: Command): void {
  const command = program
    .command('status')
    .description('sites, targets, overrides and alarms of the running service');
  withServiceOptions(command).action(act);
}

async function act(options: ServiceOptions): Promise<void> {
  const service = await serviceOf(options);
  const [state, sites] = await Promise.all([
    service<GeoDnsState>({ method: 'GET', path: '/v1/state' }),
    service<GeoDnsSites>({ method: 'GET', path: '/v1/sites' }),
  ]);
  const alarms = [...troublesOfSites(sites), ...troublesOf(state.alarms)];
  print(options, { state, sites }, [
    ...siteLines(sites),
    ...state.targets.map(targetLine),
    ...state.overrides.map(
      ({ glob, family, state: word, untilMillis, author, reason }) =>
        `override  ${glob}${family === null ? '' : ` IPv${family}`} ${word} until ${new Date(untilMillis).toISOString()} by ${author}: ${reason}`,
    ),
    ...alarms.map((text) => `ALARM     ${text}`),
  ]);
  if (alarms.length > 0) process.exitCode = 1;
}

function siteLines({ wanted, sites }: GeoDnsSites): readonly string[] {
  return sites.map(({ name, serial, behind }) => {
    const lag = behind === 0 ? 'has it' : `${behind} behind`;
    return `site      ${name} serial ${serial ?? '-'} of ${wanted}: ${lag}`;
  });
}

function targetLine({ target, carrier, now }: GeoDnsState['targets'][number]): string {
  const words = families.flatMap((family) => {
    const one = now[family];
    return one === undefined ? [] : [`IPv${family} ${one.state} (${one.by}: ${one.text})`];
  });
  return `target    ${target} ${carrier}: ${words.join(', ')}`;
}

function troublesOfSites({ kind, error, sites, verification }: GeoDnsSites): readonly string[] {
  return [
    ...(kind === 'fenced' || kind === 'failing' ? [`${kind}: ${error ?? ''}`] : []),
    ...sites.flatMap((site) => (site.error === null ? [] : [`site ${site.name}: ${site.error}`])),
    ...(verification?.wrong ?? []).map((text) => `wrong answer: ${text}`),
  ];
}

function troublesOf(alarms: GeoDnsState['alarms']): readonly string[] {
  const { held, silentNodes, oldDatabases, unknownRegions, halvedShares, databases, degraded } = alarms;
  return [
    ...held.map((one) => `held by the guard against mass removal: ${one}`),
    ...silentNodes.map((node) => `node ${node} is silent; its last state stays`),
    ...oldDatabases.map((path) => `database ${path} is older than 21 days`),
    ...unknownRegions.map((region) => `region ${region} is in no rule`),
    ...halvedShares,
    ...databases,
    ...degraded.map(
      ({ policy, rule, family, country, level }) =>
        `${level}: ${policy} rule ${rule} IPv${family}${country === null ? '' : ` in ${country}`}`,
    ),
  ];
}
