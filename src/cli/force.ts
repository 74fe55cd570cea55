/** `causeway force announce|withdraw`: above every verdict and guard, until a time. */
import type { Command } from 'commander';
import { overrideCommand, type OverrideOptions } from './drain.ts';
import type { Output } from './exit.ts';
import { runCommand } from './operator-command.ts';
import { addEnd, addReach, addSelection } from './operator-options.ts';

export function registerForce(program: Command, output: Output): void {
  const force = program.command('force').description('overrule every verdict and guard until a time');
  const words = {
    announce: 'announce it, whatever is measured',
    withdraw: 'withdraw it, whatever is measured',
  } as const;
  for (const state of ['announce', 'withdraw'] as const) {
    const command = force.command(state).description(words[state]);
    addReach(addEnd(addSelection(command))).action((uplink: string | undefined, options: OverrideOptions) =>
      runCommand(options, output, () => overrideCommand(state, uplink, options)),
    );
  }
}
