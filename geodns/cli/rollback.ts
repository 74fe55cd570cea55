/** `causeway-geodns rollback NUMBER`: shows what it would move, and with `--yes` does it. */
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { GeoDnsPreview, GeoDnsRevisions } from '../../src/types/wire/geodns-answers.ts';
import type { GeoDnsConfig } from '../service/config.ts';
import { FilesError } from '../service/files.ts';
import { takeFolder } from '../service/lock.ts';
import { loadNetworks } from '../networks/load.ts';
import { loadRules } from '../rules/load.ts';
import { formatProblem } from '../yaml-file.ts';
import { writeWhileStopped } from '../service/rules-desk.ts';
import { print } from './output.ts';
import { previewLines } from './preview-text.ts';
import { readConfigFile } from './reading.ts';
import { numbersOf, storeIn, wholeNumber } from './revisions.ts';
import { reasonFlag, type ServiceOptions, serviceOf, withServiceOptions } from './service-command.ts';

interface Options extends ServiceOptions {
  readonly yes?: boolean;
  readonly offline?: boolean;
  readonly reason: string;
}

export function addRollback(program: Command): void {
  const command = program
    .command('rollback')
    .description(
      'bring the rules and networks of a revision back; without --yes it shows whom that would move',
    )
    .argument('<number>')
    .option('--yes', 'do it')
    .option(...reasonFlag, '')
    .option('--offline', 'while the service is stopped: write the files, for its next start');
  withServiceOptions(command).action(act);
}

async function act(text: string, options: Options): Promise<void> {
  const number = wholeNumber(text);
  if (options.offline === true) return offline(number, await readConfigFile(options.config), options);
  const service = await serviceOf(options);
  const path = `/v1/revisions/${number}`;
  const { current } = await service<GeoDnsRevisions>({ method: 'GET', path: '/v1/revisions' });
  const { preview } = await service<{ readonly preview: GeoDnsPreview }>({
    method: 'GET',
    path: `${path}?preview=1`,
  });
  if (options.yes !== true || !preview.ok) {
    print(options, preview, previewLines(preview, `causeway-geodns rollback ${number} --yes`));
    process.exitCode = preview.ok ? 0 : 1;
    return;
  }
  const query = `?reason=${encodeURIComponent(options.reason)}`;
  const done = await service<unknown>({
    method: 'POST',
    path: `${path}/rollback${query}`,
    match: current ?? 0,
  });
  print(options, done, [`revision ${number} is in force again`]);
}

async function offline(number: number, config: GeoDnsConfig, options: Options): Promise<void> {
  const giveBack = await takeFolder(config.state);
  try {
    const store = await storeIn(config.state);
    const revision = store.get(number);
    if (revision === null) throw new FilesError([`no revision ${number}; there are ${numbersOf(store)}`]);
    const networks = loadNetworks('networks.yaml', revision.texts.networks);
    if (networks.kind === 'refused') throw new FilesError(networks.problems.map(formatProblem));
    const rules = loadRules('rules.yaml', revision.texts.rules, networks.value);
    if (rules.kind === 'refused') throw new FilesError(rules.problems.map(formatProblem));
    if (options.yes === true) {
      const reason = options.reason === '' ? `back to ${number}` : options.reason;
      const author = userInfo().username;
      await writeWhileStopped(store, config, revision, { author, reason, at: new Date().toISOString() });
    }
    const done = options.yes === true;
    print(options, { number, written: done }, [
      done
        ? `the files hold revision ${number}; start the service`
        : `revision ${number} can be brought back; --yes writes the files`,
    ]);
  } finally {
    await giveBack();
  }
}
