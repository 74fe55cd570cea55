/** Runs the machine's own tools (ip, nft, sysctl) for the lab; a failure names the command and what it printed. */
import { inside } from './inside.ts';
import { execa } from 'execa';
import type { Family } from '../../src/types/units.ts';

export class CommandError extends Error {
  readonly command: string;
  readonly output: string;

  constructor(command: string, output: string) {
    super(`\`${command}\` failed: ${output.trim() || 'no output'}`);
    this.name = 'CommandError';
    this.command = command;
    this.output = output;
  }
}

export interface CommandOptions {
  readonly input?: string;
  readonly timeoutMillis?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Standard output of a command that must succeed within its time (20 s unless given). */
export async function run(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const result = await tryRun(file, args, options);
  if (result.exitCode !== 0) {
    throw new CommandError([file, ...args].join(' '), `${result.stderr}\n${result.stdout}`);
  }
  return result.stdout;
}

export interface CommandResult {
  /** null: it was killed, or could not be started; `stderr` says why. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The same for a command that may fail: the caller judges. */
export async function tryRun(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const result = await execa(file, [...args], {
    reject: false,
    timeout: options.timeoutMillis ?? 20_000,
    stripFinalNewline: false,
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  const trouble = result.exitCode === undefined ? (result.shortMessage ?? '') : '';
  return {
    exitCode: result.exitCode ?? null,
    stdout: result.stdout ?? '',
    stderr: `${result.stderr ?? ''}${trouble}`,
  };
}

/** Runs a command inside a namespace. */
export function runIn(
  namespace: string,
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  return run('ip', inside(namespace, argv), options);
}

/**
 * Feeds lines to one `ip -batch`; without a namespace in the machine's own one. Rules need the family said, routes and
 * addresses tell it themselves.
 */
export function ipBatch(
  namespace: string | null,
  lines: readonly string[],
  family?: Family,
): Promise<string> {
  const where = namespace === null ? [] : ['-n', namespace];
  const word = family === undefined ? [] : [`-${family}`];
  return run('ip', [...where, ...word, '-batch', '-'], { input: `${lines.join('\n')}\n` });
}
