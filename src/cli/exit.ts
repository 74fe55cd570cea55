/** How a command ends: exit codes, where its answer and its complaints go, and what an unreadable config says. */
import { loadConfig, type ConfigRead } from '../config/load.ts';

/** done: it is so; no: the answer is no; usage: usage or config; unreachable: the daemon or BIRD. */
export const exitCode = { done: 0, no: 1, usage: 2, unreachable: 3 } as const;
/** What a command may end with. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Where a command writes: `answer` is stdout and nothing but the answer, `complain` is stderr. Both add the newline. */
export interface Output {
  readonly answer: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Sets the exit code; the process ends by itself when nothing is left to do. */
  readonly end: (code: ExitCode) => void;
}

/** Where every subcommand with `-c` looks when it is not given. */
export const defaultConfigFile = '/etc/causeway/causeway.yaml';

/** Stands below the help of the program. */
export const exitCodeHelp = `
Exit codes:
  0  done
  1  the answer is no (check failed, differences)
  2  usage or config
  3  the daemon or BIRD cannot be reached`;

/** Stands below the help of a command: command lines as they are typed, one each. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** The output of a real process. A reader that goes away early (\`| head\`) is no error. */
export function processOutput(): Output {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    answer: (text) => process.stdout.write(`${text}\n`),
    complain: (text) => process.stderr.write(`${text}\n`),
    end: (code) => {
      process.exitCode = code;
    },
  };
}

/**
 * The config that a command needs. Warnings and problems go to stderr, one a line.
 * Null where it is bad: the exit code is 2 by then, and the command has nothing left to do.
 */
export async function requireConfig(file: string, output: Output): Promise<ConfigRead | null> {
  const result = await loadConfig(file);
  if (result.kind === 'ok') {
    for (const warning of result.warnings) output.complain(`warning: ${warning.text}`);
    return result;
  }
  for (const problem of result.problems) output.complain(problem.text);
  output.end(exitCode.usage);
  return null;
}
