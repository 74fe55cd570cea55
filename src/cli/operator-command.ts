/** Sends an operator's command, and prints what came of it. */
import { selectionText, subjectText } from '../core/overrides/selection.ts';
import { operatorAnswer, type OperatorAnswer } from '../types/wire/operator.ts';
import { askDaemon } from './daemon-request.ts';
import { exitCode, type Output } from './exit.ts';
import { type Reach, type ReachOptions, reachOf, UsageError } from './operator-options.ts';

export interface OperatorCommand {
  /** `/v1/overrides` and its like. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What can be done without the daemon. */
  readonly withoutDaemon: readonly string[];
}

/** Runs a command to its end. Exit codes: 0 done, 1 refused, 2 usage, 3 the daemon cannot be reached. */
export async function runCommand(
  options: ReachOptions,
  output: Output,
  command: () => OperatorCommand,
): Promise<void> {
  try {
    const reach = await reachOf(options);
    const answer = await sendCommand(reach, command(), options, output);
    if (answer !== null) output.answer(options.json ? JSON.stringify(answer, null, 2) : answerText(answer));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.complain(`error: ${error.message}`);
    output.end(exitCode.usage);
  }
}

/** null: it was not done; that is said, and the exit code is set. */
export async function sendCommand(
  { address, token, note }: Reach,
  { path, body, withoutDaemon }: OperatorCommand,
  { author, dryRun }: Pick<ReachOptions, 'author' | 'dryRun'>,
  output: Output,
): Promise<OperatorAnswer | null> {
  const reply = await askDaemon(address, { method: 'POST', path, body: { ...body, author, dryRun }, token });
  if (reply.kind === 'unreachable') {
    output.complain(
      [
        'the daemon cannot be reached:',
        `  ${reply.text}`,
        ...(note === null ? [] : [`  ${note}`]),
        ...withoutDaemon,
      ].join('\n'),
    );
    output.end(exitCode.unreachable);
    return null;
  }
  const parsed = reply.status === 200 ? operatorAnswer.safeParse(reply.body) : null;
  if (parsed?.success === true) {
    output.end(exitCode.done);
    return parsed.data;
  }
  output.complain(`error: ${detailOf(reply.body) ?? `the daemon answered HTTP ${reply.status}`}`);
  output.end(endOf(reply.status));
  return null;
}

function endOf(status: number): (typeof exitCode)[keyof typeof exitCode] {
  if (status === 400 || status === 404) return exitCode.usage;
  return status >= 500 ? exitCode.unreachable : exitCode.no;
}

/** What changes, what begins and ends, and what else is to be known. */
export function answerText({ done, changes, begun, ended, notes }: OperatorAnswer): string {
  const would = done ? '' : 'would ';
  const lines = [
    ...begun.map(
      ({ subject, state, expires }) =>
        `${would}${state} ${subjectText(subject)} ${expires === null ? 'until it is released' : `until ${expires}`}`,
    ),
    ...ended.map(
      ({ subject, state, author, reason }) =>
        `${would}end: ${state} of ${subjectText(subject)} by ${author} (${reason})`,
    ),
    ...changes.map(({ uplink, service, family, from, to, text }) => {
      const what =
        service === null ? `egress of ${uplink} IPv${family}` : selectionText({ uplink, service, family });
      return `  ${what}: ${from} → ${to} (${text})`;
    }),
    ...(changes.length === 0 && begun.length + ended.length > 0 ? ['  the wish stays as it is'] : []),
    ...notes,
  ];
  return lines.length === 0 ? (done ? 'done' : 'nothing would change') : lines.join('\n');
}

function detailOf(body: unknown): string | null {
  return typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null;
}
