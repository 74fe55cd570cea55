/** `causeway-geodns geoip [refresh | rollback]`: the GeoIP databases. */
import type { Command } from 'commander';
import type { RefreshState } from '../data/refresh-state.ts';
import { print } from './output.ts';
import { oneOf, type ServiceOptions, serviceOf, withServiceOptions } from './service-command.ts';

interface Options extends ServiceOptions {
  readonly accept?: boolean;
}

/** `GET /v1/geoip`; without a refresh in the configuration there are the databases alone. */
type Answer = Pick<RefreshState, 'databases'> & Partial<RefreshState>;

export function addGeoip(program: Command): void {
  const command = program
    .command('geoip')
    .description(
      'the GeoIP databases in use and what became of the last refresh; or fetch them now, or go back',
    )
    .argument('[do]', 'refresh: fetch them and bring them to the sites; rollback: the ones before')
    .option('--accept', 'of refresh: also when more users move than allowed, or they were taken back before');
  withServiceOptions(command).action(act);
}

async function act(text: string | undefined, options: Options): Promise<void> {
  const what = text === undefined ? null : oneOf('do', text, ['refresh', 'rollback']);
  const service = await serviceOf(options);
  const state = await service<Answer>(
    what === null
      ? { method: 'GET', path: '/v1/geoip' }
      : { method: 'POST', path: `/v1/geoip/${what}`, body: { accept: options.accept } },
  );
  print(options, state, linesOf(state));
}

function linesOf({
  kind,
  site,
  current,
  previous,
  refused,
  last,
  nextAt,
  databases,
}: Answer): readonly string[] {
  return [
    ...databases.map(({ path, builtAt }) => `${path}  built ${builtAt}`),
    kind === undefined
      ? 'no refresh in the configuration: databases are brought by hand'
      : `${kind}${site === null || site === undefined ? '' : ` (${site})`}  set ${current ?? '-'}, before ${previous ?? '-'}, taken back ${refused ?? '-'}`,
    ...(last === null || last === undefined
      ? []
      : [`last: ${last.kind} ${last.at} by ${last.author}`, ...last.lines.map((line) => `  ${line}`)]),
    ...(nextAt === null || nextAt === undefined ? [] : [`next: ${nextAt}`]),
  ];
}
