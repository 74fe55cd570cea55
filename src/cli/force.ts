/** `causeway force announce|withdraw`: above every verdict and guard, until a time. */
import type { Command } from 'commander';
import { overrideCommand, type OverrideOptions } from './drain.ts';
import { examples, type Output } from './exit.ts';
import { runCommand } from './operator-command.ts';
import { addEnd, addFleet, addReach, addSelection } from './operator-options.ts';

export function registerForce(program: Command, output: Output): void {
  const force = program
    .command('force')
    .description('overrule every verdict and guard until a time')
    .addHelpText('after', examples('causeway force withdraw cmi --for 2h --reason TEXT'));
  const words = {
    announce: 'announce it, whatever is measured',
    withdraw: 'withdraw it, whatever is measured',
  } as const;
  for (const state of ['announce', 'withdraw'] as const) {
    const command = force.command(state).description(words[state]);
    addReach(addFleet(addEnd(addSelection(command)))).addHelpText(
      'after',
      examples(
        `causeway force ${state} cmi --for 2h --reason TEXT`,
        `causeway force ${state} cmi --service web --family 6 --until never --reason TEXT`,
      ),
    );
    command.action((uplink: string | undefined, options: OverrideOptions) =>
      runCommand(options, output, () => overrideCommand(state, uplink, options)),
    );
  }
}
