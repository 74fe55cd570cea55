/** Options and addresses of the commands that ask the daemon and change nothing. */
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { loadConfig, loadControlSocket } from '../config/load.ts';
import { messageOf } from '../types/message-of.ts';
import type { DaemonAddress } from './daemon-transport.ts';
import { defaultConfigFile, exitCode, type Output } from './exit.ts';

export interface ReadingOptions {
  readonly config: string;
  readonly url?: string;
  /** For `--url` where reads need a token too. */
  readonly tokenFile?: string;
}

export interface Credential {
  readonly token: string | null;
}

export const defaultSocket = '/run/causeway/control.sock';
/** Where the daemon listens by default; for a node whose config cannot be read just now. */
const defaultPort: DaemonAddress = { kind: 'url', url: 'http://127.0.0.1:9180' };

/** Adds `-c`, `--url` and `--token-file`. */
export function addReading(command: Command, what = 'the config, which names the socket'): Command {
  return command
    .option('-c, --config <file>', what, defaultConfigFile)
    .addOption(new Option('--url <url>', 'ask over HTTP, such as http://127.0.0.1:9180').argParser(parseUrl))
    .addOption(new Option('--token-file <file>', 'a token for --url, where reads need one'));
}

/** The header that carries it; none where there is no token. */
export function authorizationOf({ token }: Credential): Readonly<Record<string, string>> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** The socket first: it needs no network, no DNS and no token, and its permissions are the authorisation. */
export async function daemonAddresses(
  options: ReadingOptions,
  output: Output,
): Promise<readonly DaemonAddress[]> {
  if (options.url !== undefined) return [{ kind: 'url', url: options.url }];
  const loaded = await loadConfig(options.config);
  if (loaded.kind === 'bad') {
    output.complain(`${options.config} has problems (see \`causeway check\`); trying the default addresses`);
    const path = (await loadControlSocket(options.config)) ?? defaultSocket;
    return [{ kind: 'socket', path }, defaultPort];
  }
  const { host, port } = loaded.config.http;
  return [
    { kind: 'socket', path: loaded.config.paths.control },
    { kind: 'url', url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` },
  ];
}

/** Of `--token-file`; its token is null where no file is named. null: it cannot be read, that is said, and the exit code is set. */
export async function credentialOrUsage(
  { tokenFile }: ReadingOptions,
  output: Output,
): Promise<Credential | null> {
  try {
    return { token: tokenFile === undefined ? null : (await readFile(tokenFile, 'utf8')).trim() };
  } catch (error) {
    output.complain(`error: --token-file cannot be read: ${messageOf(error)}`);
    output.end(exitCode.usage);
    return null;
  }
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

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return text;
  throw new InvalidArgumentError('allowed: a URL such as http://127.0.0.1:9180');
}
