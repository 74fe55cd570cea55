/** `causeway freeze`: no verdict changes anything until the thaw. */
import type { Command } from 'commander';
import { examples, type Output } from './exit.ts';
import { runCommand } from './operator-command.ts';
import { addFleet, addReach, type FleetOption, type ReachOptions } from './operator-options.ts';

export function registerFreeze(program: Command, output: Output): void {
  const freeze = program
    .command('freeze')
    .description('let no verdict change anything, over restarts and reboots, until `causeway thaw`')
    .requiredOption('--reason <text>', 'why; it is shown everywhere')
    .addHelpText(
      'after',
      examples('causeway freeze --reason "core router upgrade"', 'causeway freeze --fleet --reason incident'),
    );
  addReach(addFleet(freeze)).action((options: ReachOptions & FleetOption & { readonly reason: string }) =>
    runCommand(options, output, () => ({
      path: '/v1/freeze',
      body: { reason: options.reason, fleet: options.fleet },
      withoutDaemon: freezeAdvice('touch'),
    })),
  );
}

/** The daemon that does not run changes nothing either; the file counts at its next start. */
export function freezeAdvice(command: 'touch' | 'rm'): readonly string[] {
  const what = command === 'touch' ? 'freezes' : 'thaws';
  return [
    'Without the daemon nothing changes in BIRD. The file counts from its next start on, or at once where it runs:',
    `  ${command} /var/lib/causeway/freeze    # in paths.state; it ${what} by being ${command === 'touch' ? 'there' : 'gone'}`,
  ];
}
