/** The `causeway` command with all its subcommands, apart from the process so that tests can run it. */
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../host/package-version.ts';
import { registerApply } from './apply.ts';
import { registerBoot } from './boot.ts';
import { registerCheck } from './check.ts';
import { registerCompletion } from './completion.ts';
import { registerDiff } from './diff.ts';
import { registerDoctor } from './doctor.ts';
import { registerDrain } from './drain.ts';
import { exitCode, exitCodeHelp, type Output } from './exit.ts';
import { registerEvents } from './events.ts';
import { registerExplain } from './explain.ts';
import { registerFleet } from './fleet.ts';
import { registerForce } from './force.ts';
import { registerFreeze } from './freeze.ts';
import { registerHistory } from './history.ts';
import { registerRecord } from './record.ts';
import { registerRelease, registerUndrain } from './release.ts';
import { registerReload } from './reload.ts';
import { registerMigrate } from './migrate.ts';
import { registerRender } from './render.ts';
import { registerReplay } from './replay.ts';
import { registerRouting } from './routing.ts';
import { registerRun } from './run.ts';
import { registerSimulate } from './simulate.ts';
import { registerStatus } from './status.ts';
import { registerThaw } from './thaw.ts';

/** Runs one command line, without the two words for node and the script. Bad usage ends with 2. */
export async function runProgram(words: readonly string[], output: Output): Promise<void> {
  const program = buildProgram(output);
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version that were asked for are done; commander has printed either way.
    output.end(error.exitCode === 0 ? exitCode.done : exitCode.usage);
  }
}

/** The program with all its commands, as it is before it reads a command line. */
export function buildProgram(output: Output): Command {
  const program = new Command('causeway')
    .description('Keeps a multi-homed anycast node reachable')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .addHelpText('after', exitCodeHelp)
    // Subcommands copy these when they are made, so they stand first.
    .exitOverride()
    .showHelpAfterError('(causeway --help lists the commands and options)')
    .configureOutput({
      writeOut: (text) => output.answer(text.trimEnd()),
      writeErr: (text) => output.complain(text.trimEnd()),
    });
  // In the order of the help: what an operator needs from the first config to the running node.
  registerRun(program, output);
  registerCheck(program, output);
  registerExplain(program, output);
  registerRender(program, output);
  registerDiff(program, output);
  registerApply(program, output);
  registerMigrate(program, output);
  registerBoot(program, output);
  registerRouting(program, output);
  registerStatus(program, output);
  registerFleet(program, output);
  registerHistory(program, output);
  registerEvents(program, output);
  registerRecord(program, output);
  registerReplay(program, output);
  registerSimulate(program, output);
  registerDrain(program, output);
  registerUndrain(program, output);
  registerForce(program, output);
  registerRelease(program, output);
  registerFreeze(program, output);
  registerThaw(program, output);
  registerReload(program, output);
  registerDoctor(program, output);
  registerCompletion(program, output);
  return program;
}
