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
import { type ConfigOptions, configFlag, jsonFlag, percent, print } from './output.ts';
import { readConfigFile } from './reading.ts';
import { numbersOf, storeIn, wholeNumber } from './revisions.ts';
import { callService, readTokenFile } from './service-call.ts';

interface Options extends ConfigOptions {
  readonly yes?: boolean;
  readonly offline?: boolean;
  readonly tokenFile?: string;
  readonly reason: string;
}

export function addRollback(program: Command): void {
  program
    .command('rollback')
    .description(
      'bring the rules and networks of a revision back; without --yes it shows whom that would move',
    )
    .argument('<number>')
    .option('--yes', 'do it')
    .option('--reason <text>', 'why, for those who look later', '')
    .option('--token-file <file>', 'token of an operator of the running service')
    .option('--offline', 'while the service is stopped: write the files, for its next start')
    .option(...configFlag)
    .option(...jsonFlag)
    .action(act);
}

async function act(text: string, options: Options): Promise<void> {
  const number = wholeNumber(text);
  const config = await readConfigFile(options.config);
  if (options.offline === true) return offline(number, config, options);
  const token = await readTokenFile(options.tokenFile);
  const path = `/v1/revisions/${number}`;
  // What the service answers is described in geodns-answers.ts.
  const { current } = (await callService(config, {
    method: 'GET',
    path: '/v1/revisions',
    token,
  })) as GeoDnsRevisions;
  const { preview } = (await callService(config, { method: 'GET', path: `${path}?preview=1`, token })) as {
    readonly preview: GeoDnsPreview;
  };
  if (options.yes !== true || !preview.ok) {
    print(options, preview, previewLines(number, preview));
    process.exitCode = preview.ok ? 0 : 1;
    return;
  }
  const query = `?reason=${encodeURIComponent(options.reason)}`;
  const rollback = { method: 'POST', path: `${path}/rollback${query}`, token, match: current ?? 0 } as const;
  const done = await callService(config, rollback);
  print(options, done, [`revision ${number} is in force again`]);
}

function previewLines(number: number, preview: GeoDnsPreview): readonly string[] {
  if (!preview.ok) return preview.problems;
  const { moved, degraded } = preview;
  const by = {
    databases: 'size of networks',
    statistics: 'what users asked',
    nothing: 'nothing: no database',
  };
  return [
    `${percent(moved.share)} of users would be answered otherwise (by ${by[moved.by]})`,
    ...moved.policies
      .filter(({ share }) => share > 0)
      .flatMap(({ policy, family, share, largest }) => [
        `${policy} IPv${family}: ${percent(share)}`,
        ...largest.map(
          (one) =>
            `  ${percent(one.share)} AS${one.asn ?? '?'} ${one.network ?? 'unknown'} ${one.country ?? '?'}: ${one.from ?? '-'} -> ${one.to ?? '-'}`,
        ),
      ]),
    ...(moved.names.removed.length === 0 ? [] : [`names that go: ${moved.names.removed.join(', ')}`]),
    ...(moved.names.added.length === 0 ? [] : [`new names: ${moved.names.added.join(', ')}`]),
    ...(degraded === 0 ? [] : [`${degraded} answers would be below normal`]),
    `nothing was changed; \`causeway-geodns rollback ${number} --yes\` does it`,
  ];
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
