/** `causeway status`: what the daemon measures, wishes and sees, in a table. */
import { Option, type Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { fetchStatus, type DaemonAddress } from './daemon-client.ts';
import { defaultConfigFile, exitCode, type ExitCode, type Output } from './exit.ts';
import { renderStatus } from './status-text.ts';

export { renderStatus };

interface StatusOptions {
  readonly config: string;
  readonly url?: string;
  readonly json: boolean;
  readonly watch: boolean;
}

/** Where the daemon listens by default; for a node whose config cannot be read just now. */
const defaultAddresses: readonly DaemonAddress[] = [
  { kind: 'socket', path: '/run/causeway/control.sock' },
  { kind: 'url', url: 'http://127.0.0.1:9180' },
];

const watchMillis = 1000;
const clearScreen = '\u001B[H\u001B[2J';

/** Adds the subcommand. Exit codes: 0 shown, 3 the daemon cannot be reached. */
export function registerStatus(program: Command, output: Output): void {
  program
    .command('status')
    .description('show what the daemon measures, wishes and sees')
    .option('-c, --config <file>', 'the config, which names the socket', defaultConfigFile)
    .addOption(new Option('--url <url>', 'ask over HTTP, such as http://127.0.0.1:9180'))
    .option('--json', 'print the status document', false)
    .option('--watch', 'show it anew each second until interrupted', false)
    .action(async (options: StatusOptions) => {
      const addresses = await daemonAddresses(options, output);
      do {
        output.end(await show(addresses, options, output));
        if (options.watch) await pause();
      } while (options.watch);
    });
}

/** The socket first: it needs no network and its permissions are the authorisation. */
export async function daemonAddresses(
  options: Pick<StatusOptions, 'config' | 'url'>,
  output: Output,
): Promise<readonly DaemonAddress[]> {
  if (options.url !== undefined) return [{ kind: 'url', url: options.url }];
  const loaded = await loadConfig(options.config);
  if (loaded.kind === 'bad') {
    output.complain(`${options.config} has problems (see \`causeway check\`); trying the default addresses`);
    return defaultAddresses;
  }
  const { host, port } = loaded.config.http;
  return [
    { kind: 'socket', path: loaded.config.paths.control },
    { kind: 'url', url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` },
  ];
}

async function show(
  addresses: readonly DaemonAddress[],
  options: StatusOptions,
  output: Output,
): Promise<ExitCode> {
  const answer = await fetchStatus(addresses);
  if (answer.kind === 'unreachable') {
    output.complain(unreachableText(answer.text));
    return exitCode.unreachable;
  }
  const text = options.json
    ? JSON.stringify(answer.document, null, options.watch ? 0 : 2)
    : renderStatus(answer.document, terminal());
  output.answer(options.watch && isTerminal() && !options.json ? `${clearScreen}${text}` : text);
  return exitCode.done;
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, watchMillis);
  });
}

/** What happened, why, and what to do next. */
export function unreachableText(tried: string): string {
  return [
    'the daemon cannot be reached:',
    ...tried.split('\n').map((line) => `  ${line}`),
    'See whether it runs (`systemctl status causeway`) and what it said (`journalctl -u causeway -n 50`);',
    'with EACCES, you are not in its group. What BIRD announces meanwhile: `birdc show protocols`.',
  ].join('\n');
}

function isTerminal(): boolean {
  return process.stdout.isTTY;
}

/** How wide and how colourful the terminal is; wide and plain where there is none. */
export function terminal() {
  const colour = isTerminal() && (process.env['NO_COLOR'] ?? '') === '';
  return { columns: isTerminal() ? process.stdout.columns : 200, colour };
}
