/** `causeway release` ends overrides, hands in BIRD too; `causeway undrain` ends drains alone. */
import type { Command } from 'commander';
import { birdcAdvice } from './birdc-advice.ts';
import { examples, type Output } from './exit.ts';
import { runCommand } from './operator-command.ts';
import {
  addFleet,
  addReach,
  addSelection,
  type FleetOption,
  type ReachOptions,
  type SelectionOptions,
  selectionOf,
} from './operator-options.ts';

type ReleaseOptions = ReachOptions & SelectionOptions & FleetOption;

export function registerRelease(program: Command, output: Output): void {
  const release = program
    .command('release')
    .description('end overrides within what is selected, and hands in BIRD; verdicts decide again');
  addRelease(release, output, null);
}

export function registerUndrain(program: Command, output: Output): void {
  const undrain = program.command('undrain').description('end drains within what is selected');
  addRelease(undrain, output, ['drain']);
}

function addRelease(command: Command, output: Output, states: readonly 'drain'[] | null): void {
  const name = command.name();
  addReach(addFleet(addSelection(command))).addHelpText(
    'after',
    examples(`causeway ${name} cmi`, `causeway ${name} --service web --dry-run`, `causeway ${name} --node`),
  );
  command.action((uplink: string | undefined, options: ReleaseOptions) =>
    runCommand(options, output, () => {
      const selection = selectionOf(uplink, options);
      return {
        path: '/v1/release',
        body: { selection, states, fleet: options.fleet },
        withoutDaemon: birdcAdvice('announce', selection),
      };
    }),
  );
}
