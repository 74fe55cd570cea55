/** `causeway reload`: the daemon reads its config again, as with SIGHUP, and says what it took. */
import type { Command } from 'commander';
import { examples, type Output } from './exit.ts';
import { runCommand } from './operator-command.ts';
import { addReach, type ReachOptions } from './operator-options.ts';

export function registerReload(program: Command, output: Output): void {
  const reload = program
    .command('reload')
    .description('read the config again; a bad one leaves the running one in force');
  addReach(reload).addHelpText('after', examples('causeway reload', 'causeway reload --dry-run'));
  reload.action((options: ReachOptions) =>
    runCommand(options, output, () => ({
      path: '/v1/reload',
      body: {},
      withoutDaemon: [
        '`causeway check` says whether the file is good; the daemon reads it at its next start.',
      ],
    })),
  );
}
