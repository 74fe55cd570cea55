/** `causeway thaw`: shows what will change, asks, and lets the verdicts decide again. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { examples, exitCode, type Output } from './exit.ts';
import { freezeAdvice } from './freeze.ts';
import { answerText, sendCommand } from './operator-command.ts';
import {
  addFleet,
  addReach,
  type FleetOption,
  type ReachOptions,
  reachOf,
  UsageError,
} from './operator-options.ts';

type ThawOptions = ReachOptions & FleetOption & { readonly yes: boolean };

export function registerThaw(program: Command, output: Output): void {
  const thaw = program
    .command('thaw')
    .description('show what changes when the freeze ends, and end it')
    .option('--yes', 'do not ask', false);
  addReach(addFleet(thaw)).addHelpText(
    'after',
    examples('causeway thaw --dry-run', 'causeway thaw --yes', 'causeway thaw --fleet'),
  );
  thaw.action((options: ThawOptions) => thawIt(options, output));
}

async function thawIt(options: ThawOptions, output: Output): Promise<void> {
  try {
    const reach = await reachOf(options);
    const command = { path: '/v1/thaw', body: { fleet: options.fleet }, withoutDaemon: freezeAdvice('rm') };
    const before = await sendCommand(reach, command, { author: options.author, dryRun: true }, output);
    if (before === null) return;
    if (options.dryRun) {
      output.answer(options.json ? JSON.stringify(before, null, 2) : answerText(before));
      return;
    }
    if (!options.json) output.answer(answerText(before));
    if (!options.yes && !(await confirmed())) {
      output.complain('still frozen: say --yes, or answer y at a terminal');
      output.end(exitCode.no);
      return;
    }
    const after = await sendCommand(reach, command, { author: options.author, dryRun: false }, output);
    if (after !== null) output.answer(options.json ? JSON.stringify(after, null, 2) : 'thawed');
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.complain(`error: ${error.message}`);
    output.end(exitCode.usage);
  }
}

/** Nobody is asked who cannot answer. */
async function confirmed(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Thaw? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}
