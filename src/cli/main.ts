/** The program that `bin/causeway` starts. */
import { processOutput } from './exit.ts';
import { runProgram } from './program.ts';

await runProgram(process.argv.slice(2), processOutput());
