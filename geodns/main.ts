/** The command `causeway-geodns`. Exit codes: 0 done, 1 the answer is no, 2 usage or files, 3 not reachable. */
import { buildProgram } from './cli/program.ts';
import { exitCodeOf, linesOf } from './cli/failure.ts';

try {
  await buildProgram().parseAsync();
} catch (error) {
  for (const line of linesOf(error)) process.stderr.write(`${line}\n`);
  process.exitCode = exitCodeOf(error, process.argv[2]);
}
