/** `causeway-edge`. Exit codes: 0 done, 1 the answer is no, 2 usage or config. */
import { CommanderError } from 'commander';
import { buildProgram } from './program.ts';

const program = buildProgram({
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  end: (code) => {
    process.exitCode = code;
  },
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // commander has printed what is wrong, or the help that was asked for.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
