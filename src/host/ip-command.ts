/** Runs iproute2's `ip` with JSON output; the answers of a batch stand one below the other, one JSON array a line. */
import { execa } from 'execa';

/** How `ip` is called; other than `['ip']` to look into another network namespace (`['ip', '-n', NAME]`). */
export type IpCommand = readonly [string, ...string[]];

export const systemIp: IpCommand = ['ip'];

/** No answer of `ip` takes this long on a living machine. */
const timeoutMillis = 5000;

// -N below: tables and protocols as numbers, whatever names /etc/iproute2 gives them.

/** The machine did not answer: `code` is the errno of the start (`ENOENT`), `ETIMEDOUT`, `exit` or `bad-output`. */
export class IpError extends Error {
  readonly code: string;
  constructor(code: string, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = 'IpError';
    this.code = code;
  }
}

/** One command and its JSON value. Throws IpError. */
export async function ipJson(ip: IpCommand, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr, exitCode } = await start(ip, ['-j', '-N', ...args], '');
  if (exitCode !== 0)
    throw new IpError('exit', `\`${ip.join(' ')} ${args.join(' ')}\`: ${firstLine(stderr)}`);
  return parse(stdout === '' ? '[]' : stdout);
}

/** Of each line of a batch: its JSON value, or what the kernel said against it. */
export type BatchAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly text: string };

/**
 * Runs many queries of one family in one process (`-force -batch`), answers in the order of the queries.
 * A refused query prints nothing on stdout, and its line number on stderr. Throws IpError where the two do not add up.
 */
export async function ipBatch(
  ip: IpCommand,
  family: 4 | 6,
  queries: readonly string[],
): Promise<readonly BatchAnswer[]> {
  const { stdout, stderr } = await start(
    ip,
    ['-j', '-N', `-${family}`, '-force', '-batch', '-'],
    `${queries.join('\n')}\n`,
  );
  const refused = refusals(stderr);
  const values = stdout.split('\n').filter((line) => line.trim() !== '');
  if (values.length + refused.size !== queries.length) {
    throw new IpError(
      'bad-output',
      `ip answered ${values.length} of ${queries.length} queries and refused ${refused.size}: ${firstLine(stderr)}`,
    );
  }
  let next = 0;
  return queries.map((_, index): BatchAnswer => {
    const text = refused.get(index + 1);
    if (text !== undefined) return { kind: 'refused', text };
    const line = values[next] ?? '';
    next += 1;
    return { kind: 'value', value: parse(line) };
  });
}

async function start(ip: IpCommand, args: readonly string[], input: string) {
  const [file, ...prefix] = ip;
  const result = await execa(file, [...prefix, ...args], {
    input,
    reject: false,
    timeout: timeoutMillis,
    env: { LC_ALL: 'C' },
    stripFinalNewline: true,
  });
  if (result.timedOut) throw new IpError('ETIMEDOUT', `\`${file}\` gave no answer in ${timeoutMillis} ms`);
  if (result.exitCode === undefined) {
    throw new IpError(
      result.code ?? 'exit',
      result.code === 'ENOENT'
        ? `\`${file}\` is not installed or not in PATH; install iproute2`
        : `\`${file}\` could not run: ${result.shortMessage}`,
      result,
    );
  }
  return { stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode };
}

/** Line numbers (from 1) of refused queries with the message that stands above `Command failed -:N`. */
function refusals(stderr: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  let message = '';
  for (const line of stderr.split('\n')) {
    const failed = /^Command failed -:(\d+)$/.exec(line);
    if (failed === null) message = line;
    else found.set(Number(failed[1]), message.replace(/^(RTNETLINK answers|Error): /, ''));
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new IpError('bad-output', `ip printed something that is not JSON: ${text.slice(0, 80)}`, error);
  }
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
