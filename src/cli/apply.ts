/** `causeway apply`: BIRD's new base from the config, rehearsed, read back and confirmed, or put back. */
import type { Command } from 'commander';
import { diffLines } from '../../bird/apply/diff-text.ts';
import { messageOf } from '../types/message-of.ts';
import type { ApplyResult, Consent } from '../types/wire/apply.ts';
import { unreachable } from '../types/unreachable.ts';
import { runApply } from './apply-run.ts';
import { defaultConfigFile, examples, exitCode, type ExitCode, type Output, requireConfig } from './exit.ts';

interface ApplyOptions {
  readonly config: string;
  readonly yesReset: boolean;
  readonly yesWithdraw: boolean;
  readonly skipFleet: boolean;
  readonly json: boolean;
  readonly bird: string;
}

/**
 * Adds the subcommand. Exit codes: 0 applied, or there was nothing to apply; 1 it was refused or undone, or needs consent;
 * 2 config or usage; 3 neither the daemon nor BIRD can be reached.
 */
export function registerApply(program: Command, output: Output): void {
  program
    .command('apply')
    .description(
      "bring BIRD's configuration to what the config says: checked, rehearsed, read back, confirmed or undone",
    )
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--yes-reset', 'sessions may be closed, for a while or for good', false)
    .option('--yes-withdraw', 'less may be announced than before', false)
    .option('--skip-fleet', 'apply although another node has just applied, or nobody knows', false)
    .option('--json', 'print the result as JSON', false)
    .option('--bird <binary>', 'bird to check and rehearse with, where no daemon does it', 'bird')
    .addHelpText(
      'after',
      `\n\`causeway diff\` shows first what would happen. A running daemon does it, else this command.\n${examples(
        'causeway apply',
        'causeway apply --yes-reset',
      )}`,
    )
    .action(async ({ config: path, yesReset, yesWithdraw, skipFleet, json, bird }: ApplyOptions) => {
      const read = await requireConfig(path, output);
      if (read === null) return;
      const asked = { dryRun: false, yesReset, yesWithdraw, ...(skipFleet ? { skipFleet } : {}) };
      try {
        const run = await runApply(read.config, asked, bird, ({ step, text }) => {
          output.complain(`${step}: ${text}`);
        });
        if (run.kind === 'broken') {
          output.complain(run.text);
          output.end(exitCode.unreachable);
          return;
        }
        output.answer(json ? JSON.stringify(run.result, null, 2) : resultLines(run.result).join('\n'));
        output.end(codeOf(run.result));
      } catch (error) {
        output.complain(messageOf(error));
        output.end(exitCode.unreachable);
      }
    });
}

function codeOf({ kind }: ApplyResult): ExitCode {
  switch (kind) {
    case 'nothing':
    case 'applied':
      return exitCode.done;
    case 'differs':
    case 'needs-consent':
    case 'refused':
    case 'undone':
    case 'stuck':
      return exitCode.no;
    default:
      return unreachable(kind);
  }
}

/** The result in sentences. */
export function resultLines(result: ApplyResult): readonly string[] {
  switch (result.kind) {
    case 'nothing':
      return ['no differences: nothing is applied'];
    case 'differs':
      return diffLines(result.diff);
    case 'needs-consent':
      return [...diffLines(result.diff), `nothing was changed: ${lackingText(result.lacking)}`];
    case 'refused':
      return [`nothing was changed; refused at ${result.step}:`, ...result.problems.map((one) => `  ${one}`)];
    case 'applied':
      return [
        ...diffLines(result.diff).filter((line) => !line.includes('`causeway apply` needs')),
        result.by === 'causeway'
          ? 'applied and confirmed'
          : 'applied; somebody’s `configure` confirmed it first',
      ];
    case 'undone':
      return [
        'undone: the last confirmed text is back, in the file and in BIRD:',
        ...result.problems.map((one) => `  ${one}`),
      ];
    case 'stuck':
      return [
        'the last confirmed text could not be put back yet; the daemon goes on trying, and a start does it first:',
        ...result.problems.map((one) => `  ${one}`),
      ];
    default:
      return unreachable(result);
  }
}

function lackingText({ reset, withdraw }: Consent): string {
  const options = [...(reset ? ['--yes-reset'] : []), ...(withdraw ? ['--yes-withdraw'] : [])];
  return `it needs ${options.join(' and ')}`;
}
