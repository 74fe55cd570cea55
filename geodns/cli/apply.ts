/** `causeway-geodns apply FILE`: shows whom other rules would move, and with `--yes` puts them in force. */
import type { Command } from 'commander';
import type { GeoDnsPreview, GeoDnsRevision, GeoDnsRevisions } from '../../src/types/wire/geodns-answers.ts';
import { print } from './output.ts';
import { previewLines } from './preview-text.ts';
import { readText } from './reading.ts';
import { reasonFlag, type ServiceOptions, serviceOf, withServiceOptions } from './service-command.ts';

interface Options extends ServiceOptions {
  readonly yes?: boolean;
  readonly reason: string;
}

export function addApply(program: Command): void {
  const command = program
    .command('apply')
    .description('put another rules.yaml in force; without --yes its problems, or whom it would move')
    .argument('<file>')
    .option('--yes', 'do it')
    .option(...reasonFlag, '');
  withServiceOptions(command).action(act);
}

async function act(file: string, options: Options): Promise<void> {
  const body = await readText(file);
  const service = await serviceOf(options);
  // Read before the preview: what somebody else changes in between is refused, not undone.
  const { current } = await service<GeoDnsRevisions>({ method: 'GET', path: '/v1/revisions' });
  const preview = await service<GeoDnsPreview>({ method: 'POST', path: '/v1/rules/validate', body });
  if (options.yes !== true || !preview.ok) {
    print(options, preview, previewLines(preview, `causeway-geodns apply ${file} --yes`));
    process.exitCode = preview.ok ? 0 : 1;
    return;
  }
  const done = await service<{ readonly changed: boolean; readonly revision: GeoDnsRevision }>({
    method: 'POST',
    path: `/v1/rules/apply?reason=${encodeURIComponent(options.reason)}`,
    body,
    match: current ?? 0,
  });
  const { number } = done.revision;
  print(options, done, [
    done.changed ? `revision ${number} is in force` : `these rules are in force already (${number})`,
  ]);
}
