/** `causeway diff`: what an apply would do, in words; nothing is changed. */
import type { Command } from 'commander';
import { messageOf } from '../types/message-of.ts';
import { resultLines } from './apply.ts';
import { runApply } from './apply-run.ts';
import { defaultConfigFile, examples, exitCode, type Output, requireConfig } from './exit.ts';

interface DiffOptions {
  readonly config: string;
  readonly json: boolean;
  readonly bird: string;
}

/**
 * Adds the subcommand. Exit codes: 0 no differences, 1 differences or a text that would be refused, 2 config or usage,
 * 3 neither the daemon nor BIRD can be reached.
 */
export function registerDiff(program: Command, output: Output): void {
  program
    .command('diff')
    .description(
      'what `causeway apply` would do: sessions that are reset and why, prefixes and attributes that change',
    )
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--json', 'print as JSON', false)
    .option('--bird <binary>', 'bird to check and rehearse with, where no daemon does it', 'bird')
    .addHelpText('after', examples('causeway diff', 'causeway diff --json'))
    .action(async ({ config: path, json, bird }: DiffOptions) => {
      const read = await requireConfig(path, output);
      if (read === null) return;
      const asked = { dryRun: true, yesReset: false, yesWithdraw: false };
      try {
        const run = await runApply(read.config, asked, bird, () => undefined);
        if (run.kind === 'broken') {
          output.complain(run.text);
          output.end(exitCode.unreachable);
          return;
        }
        const isSame = run.result.kind === 'nothing';
        const lines = isSame ? ['no differences'] : resultLines(run.result);
        output.answer(json ? JSON.stringify(run.result, null, 2) : lines.join('\n'));
        output.end(isSame ? exitCode.done : exitCode.no);
      } catch (error) {
        output.complain(messageOf(error));
        output.end(exitCode.unreachable);
      }
    });
}
