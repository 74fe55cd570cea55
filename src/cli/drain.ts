/** `causeway drain`: what is selected stays announced, but unattractive. */
import type { Command } from 'commander';
import { birdcAdvice } from './birdc-advice.ts';
import { examples, type Output } from './exit.ts';
import { type OperatorCommand, runCommand } from './operator-command.ts';
import {
  addEnd,
  addFleet,
  addReach,
  addSelection,
  type EndOptions,
  endsOf,
  type FleetOption,
  type ReachOptions,
  type SelectionOptions,
  selectionOf,
} from './operator-options.ts';
import type { AnnounceState } from '../types/wire/enums.ts';

export type OverrideOptions = ReachOptions & SelectionOptions & EndOptions & FleetOption;

export function registerDrain(program: Command, output: Output): void {
  const drain = program
    .command('drain')
    .description(
      'make an uplink, a service or the node unattractive until a time; users leave by themselves',
    );
  addReach(addFleet(addEnd(addSelection(drain)))).addHelpText(
    'after',
    examples(
      'causeway drain cmi --for 2h --reason "carrier window"',
      'causeway drain --service web --until never --reason TEXT',
      'causeway drain --node --for 1h --last --reason reboot',
    ),
  );
  drain.action((uplink: string | undefined, options: OverrideOptions) =>
    runCommand(options, output, () => overrideCommand('drain', uplink, options)),
  );
}

/** Throws a UsageError for options that do not fit together. */
export function overrideCommand(
  state: AnnounceState,
  uplink: string | undefined,
  options: OverrideOptions,
): OperatorCommand {
  const selection = selectionOf(uplink, options);
  const ends = endsOf(options);
  return {
    path: '/v1/overrides',
    body: { selection, state, reason: options.reason, ends, last: options.last, fleet: options.fleet },
    withoutDaemon: birdcAdvice(state, selection),
  };
}
