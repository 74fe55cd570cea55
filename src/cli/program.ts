/** The `causeway` command with all its subcommands, apart from the process so that tests can run it. */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { registerCheck } from './check.ts';
import { registerDoctor } from './doctor.ts';
import { exitCode, exitCodeHelp, type Output } from './exit.ts';
import { registerExplain } from './explain.ts';
import { registerRender } from './render.ts';
import { registerRouting } from './routing.ts';
import { registerRun } from './run.ts';
import { registerStatus } from './status.ts';

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

function buildProgram(output: Output): Command {
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
  registerRouting(program, output);
  registerStatus(program, output);
  registerDoctor(program, output);
  return program;
}

/** Of the package that this file belongs to: two folders up in the source, three in a build. */
function packageVersion(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      const found: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'));
      if (typeof found === 'object' && found !== null && 'version' in found) return String(found.version);
    } catch {
      // The other one is it.
    }
  }
  return 'unknown';
}
