/** The end of the labs' programs: 0 done, 1 it failed, 2 usage. */
import { type Command, CommanderError } from 'commander';
import { messageOf } from '../src/types/message-of.ts';

/** Runs the command line to the exit code of the process; what a person asked wrongly is a RangeError. */
export async function exitCodeOf(program: Command, name: string): Promise<number> {
  try {
    await program.parseAsync();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`${name}: ${messageOf(error)}\n`);
    return error instanceof RangeError ? 2 : 1;
  }
}
