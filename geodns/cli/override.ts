/** `causeway-geodns override TARGET STATE`: an operator's word about targets, above what nodes tell. */
import type { Command } from 'commander';
import { FilesError } from '../service/files.ts';
import { print } from './output.ts';
import {
  oneOf,
  reasonFlag,
  type ServiceOptions,
  serviceOf,
  timeAfter,
  withServiceOptions,
} from './service-command.ts';

interface Options extends ServiceOptions {
  readonly for?: string;
  readonly family?: string;
  readonly reason: string;
}

export function addOverride(program: Command): void {
  const command = program
    .command('override')
    .description('say what targets shall be for a time, whatever nodes tell; auto ends that')
    .argument('<target>', 'NODE/UPLINK; * stands for all in either part')
    .argument('<state>', 'up, drain, down, or auto')
    .option('--for <duration>', 'such as 2h; 30d at most')
    .option('--family <family>', '4 or 6; without it both')
    .requiredOption(...reasonFlag);
  withServiceOptions(command).action(act);
}

async function act(target: string, stateText: string, options: Options): Promise<void> {
  const state = oneOf('state', stateText, ['up', 'drain', 'down', 'auto']);
  const [node, uplink] = target.split('/');
  if (node === undefined || uplink === undefined) throw new FilesError([`${target} is not NODE/UPLINK`]);
  if (options.for === undefined && state !== 'auto')
    throw new FilesError(['say how long: --for 2h; what nobody ends is forgotten']);
  const family =
    options.family === undefined ? undefined : Number(oneOf('--family', options.family, ['4', '6']));
  const until = options.for === undefined || state === 'auto' ? undefined : timeAfter(options.for);
  const service = await serviceOf(options);
  const done = await service<{ readonly revision: number }>({
    method: 'PUT',
    path: `/v1/overrides/${encodeURIComponent(node)}/${encodeURIComponent(uplink)}`,
    body: { state, reason: options.reason, family, until },
  });
  print(options, done, [
    state === 'auto' ? `${target}: what its node tells counts again` : `${target} is ${state} until ${until}`,
  ]);
}
