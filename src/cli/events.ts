/** `causeway events`: the history as it happens. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { historyFolder, readHistoryFiles } from '../store/history-files.ts';
import { openStream, type DaemonStream } from './daemon-stream.ts';
import { examples, exitCode, type ExitCode, type Output } from './exit.ts';
import { historyLine, knownEntries } from './history-text.ts';
import {
  addReading,
  authorizationOf,
  daemonAddresses,
  type ReadingOptions,
  credentialOrUsage,
  unreachableText,
} from './reading.ts';
import { terminal } from './terminal.ts';

interface EventsOptions extends ReadingOptions {
  readonly after?: string;
  readonly follow: boolean;
  readonly watch: boolean;
  readonly json: boolean;
}

const againMillis = 1000;
/** From the files, where the daemon is down and no `--after` says from where on. */
const lastEntries = 20;

/**
 * Adds the subcommand. It ends when it is interrupted (exit code 0); without --follow also when the daemon ends. Exit code 3
 * where it cannot be reached: the last entries of its files are printed then.
 */
export function registerEvents(program: Command, output: Output): void {
  const events = program.command('events').description('print what happens as it happens');
  addReading(events)
    .option('--follow', 'go on over restarts of the daemon, with what was missed', false)
    .option('--watch', 'the same as --follow', false)
    .option('--after <id>', 'first what came after the entry with this id')
    .option('--json', 'one JSON entry a line', false)
    .addHelpText('after', examples('causeway events --follow', 'causeway events --json | jq .text'))
    .action(async (options: EventsOptions) => output.end(await untilInterrupted(options, output)));
}

/** An interrupt is the end that was wanted. */
async function untilInterrupted(options: EventsOptions, output: Output): Promise<ExitCode> {
  const gone = new AbortController();
  const stop = (): void => gone.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  process.stdout.once('error', stop);
  try {
    return await follow(options, output, gone.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    process.stdout.off('error', stop);
  }
}

async function follow(options: EventsOptions, output: Output, gone: AbortSignal): Promise<ExitCode> {
  if (options.after !== undefined && !/^\d{1,16}$/.test(options.after)) {
    output.complain(
      'error: --after: the id of an entry, a whole number (`causeway history --json` shows them)',
    );
    return exitCode.usage;
  }
  const credential = await credentialOrUsage(options, output);
  if (credential === null) return exitCode.usage;
  const isPatient = options.follow || options.watch;
  const authorization = authorizationOf(credential);
  const addresses = await daemonAddresses(options, output);
  let lastId = options.after ?? null;
  for (let told = false; !gone.aborted; told = true) {
    const headers = { ...authorization, ...(lastId === null ? {} : { 'last-event-id': lastId }) };
    const opened = await openStream(addresses, '/v1/events', headers);
    if (opened.kind === 'open') lastId = (await printAll(opened, options, output, gone)) ?? lastId;
    else if (!isPatient || !told) output.complain(sayWhy(opened));
    if (!isPatient && opened.kind === 'unreachable') await printFiles(options, output);
    if (!isPatient) return opened.kind === 'open' ? exitCode.done : exitCode.unreachable;
    // An interrupt rejects it, and ends the loop.
    await setTimeout(againMillis, undefined, { signal: gone }).catch(() => undefined);
  }
  return exitCode.done;
}

/** What the daemon kept before it went. */
async function printFiles(options: EventsOptions, output: Output): Promise<void> {
  if (options.url !== undefined) return;
  const loaded = await loadConfig(options.config);
  if (loaded.kind === 'bad') return;
  const folder = join(loaded.config.paths.state, historyFolder);
  const query =
    options.after === undefined ? { limit: lastEntries } : { limit: 10_000, afterId: Number(options.after) };
  const newestFirst = await readHistoryFiles(folder, query).catch(() => []);
  if (newestFirst.length > 0) output.complain(`the last entries in ${folder}:`);
  for (const entry of newestFirst.toReversed())
    output.answer(options.json ? JSON.stringify(entry) : historyLine(entry, terminal()));
}

function sayWhy(opened: Exclude<DaemonStream, { kind: 'open' }>): string {
  return opened.kind === 'refused' ? `the daemon refuses: ${opened.text}` : unreachableText(opened.text);
}

/** The id of the last event that was printed; null: none came. */
async function printAll(
  { response }: Extract<DaemonStream, { kind: 'open' }>,
  { json }: EventsOptions,
  output: Output,
  gone: AbortSignal,
): Promise<string | null> {
  let lastId: string | null = null;
  let rest = '';
  const close = (): void => void response.destroy();
  gone.addEventListener('abort', close, { once: true });
  if (gone.aborted) close();
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      const blocks = `${rest}${String(chunk)}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const { id, data } of blocks.flatMap(eventOf)) {
        lastId = id;
        output.answer(json ? data : lineOf(data));
      }
    }
  } catch {
    // The daemon went away in the middle, or we were interrupted; what it had sent whole is printed.
  } finally {
    gone.removeEventListener('abort', close);
  }
  return lastId;
}

/** An entry of a kind that this version does not know is printed as it came. */
function lineOf(data: string): string {
  const [entry] = knownEntries([JSON.parse(data)]).entries;
  return entry === undefined ? data : historyLine(entry, terminal());
}

/** Comments have no data. */
function eventOf(block: string): readonly { readonly id: string; readonly data: string }[] {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [id, data] = [field('id'), field('data')];
  return id === undefined || data === undefined ? [] : [{ id, data }];
}
