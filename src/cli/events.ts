/** `causeway events`: the history as it happens. */
import { Option, type Command } from 'commander';
import { openStream, type DaemonStream } from './daemon-stream.ts';
import { defaultConfigFile, exitCode, type ExitCode, type Output } from './exit.ts';
import { historyLine, knownEntries } from './history-text.ts';
import { daemonAddresses, terminal, unreachableText } from './status.ts';

interface EventsOptions {
  readonly config: string;
  readonly url?: string;
  readonly after?: string;
  readonly follow: boolean;
  readonly json: boolean;
}

const againMillis = 1000;

/** Adds the subcommand. It ends when it is interrupted; without --follow also when the daemon ends. */
export function registerEvents(program: Command, output: Output): void {
  program
    .command('events')
    .description('print what happens as it happens')
    .option('-c, --config <file>', 'the config, which names the socket', defaultConfigFile)
    .addOption(new Option('--url <url>', 'ask over HTTP, such as http://127.0.0.1:9180'))
    .option('--follow', 'go on over restarts of the daemon, with what was missed', false)
    .option('--after <id>', 'first what came after the entry with this id')
    .option('--json', 'one JSON entry a line', false)
    .action(async (options: EventsOptions) => output.end(await follow(options, output)));
}

async function follow(options: EventsOptions, output: Output): Promise<ExitCode> {
  if (options.after !== undefined && !/^\d{1,16}$/.test(options.after)) {
    output.complain(
      'error: --after: the id of an entry, a whole number (`causeway history --json` shows them)',
    );
    return exitCode.usage;
  }
  const addresses = await daemonAddresses(options, output);
  let lastId = options.after ?? null;
  for (let told = false; ; told = true) {
    const opened = await openStream(
      addresses,
      '/v1/events',
      lastId === null ? {} : { 'last-event-id': lastId },
    );
    if (opened.kind === 'open') lastId = (await printAll(opened, options, output)) ?? lastId;
    else if (!options.follow || !told) output.complain(sayWhy(opened));
    if (!options.follow) return opened.kind === 'open' ? exitCode.done : exitCode.unreachable;
    await pause();
  }
}

function sayWhy(opened: Exclude<DaemonStream, { kind: 'open' }>): string {
  return opened.kind === 'refused' ? `the daemon refuses: ${opened.text}` : unreachableText(opened.text);
}

/** The id of the last event that was printed; null: none came. */
async function printAll(
  { response }: Extract<DaemonStream, { kind: 'open' }>,
  { json }: EventsOptions,
  output: Output,
): Promise<string | null> {
  let lastId: string | null = null;
  let rest = '';
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
    // The daemon went away in the middle; what it had sent whole is printed.
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

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, againMillis);
  });
}
