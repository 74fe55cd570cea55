/** Options that operators' commands share, and what they mean. */
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '../config/quantities.ts';
import { loadConfig, loadControlSocket } from '../config/load.ts';
import type { Selection } from '../core/overrides/selection.ts';
import { messageOf } from '../types/message-of.ts';
import type { Family } from '../types/units.ts';
import type { DaemonAddress } from './daemon-transport.ts';
import { defaultConfigFile } from './exit.ts';

/** Where the daemon is, and who speaks. */
export interface ReachOptions {
  readonly config: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly author: string;
  readonly json: boolean;
  readonly dryRun: boolean;
}

export interface SelectionOptions {
  readonly service?: string;
  readonly node: boolean;
  readonly family?: Family;
}

export interface EndOptions {
  readonly for?: number;
  readonly until?: string;
  readonly reason: string;
  readonly last: boolean;
}

/** An override for longer than a year is one without an end. */
const longestMillis = 366 * 86_400_000;

export function addReach(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the config, which names the socket', defaultConfigFile)
    .addOption(new Option('--url <url>', 'speak over HTTP, such as http://127.0.0.1:9180, with a token'))
    .addOption(
      new Option('--token-file <file>', 'the token for --url; default: http.token_file of the config'),
    )
    .option('--author <name>', 'who speaks; default: the login name', loginName())
    .option('--dry-run', 'show what would change and do nothing', false)
    .option('--json', "print the daemon's answer as JSON", false);
}

/** Of what may be said to every node of the fleet. */
export interface FleetOption {
  readonly fleet: boolean;
}

export function addFleet(command: Command): Command {
  return command.option('--fleet', 'say it to every node of the fleet', false);
}

export function addSelection(command: Command): Command {
  return command
    .argument('[uplink]', 'the uplink; with none, name --service or --node')
    .option('--service <name>', 'one service alone')
    .option('--node', 'all uplinks and services of this node', false)
    .addOption(new Option('--family <4|6>', 'one family alone').argParser(parseFamily));
}

export function addEnd(command: Command): Command {
  return command
    .addOption(new Option('--for <duration>', 'how long, such as 2h').argParser(parseLength))
    .addOption(new Option('--until <time>', 'until when, such as 2026-12-01T05:00:00+08:00; or never'))
    .requiredOption('--reason <text>', 'why; it is shown everywhere')
    .option('--last', 'also where nothing undrained remains on this node', false);
}

/** Bad usage, in words; the command ends with 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

export function selectionOf(uplink: string | undefined, options: SelectionOptions): Selection {
  if (options.node && (uplink !== undefined || options.service !== undefined))
    throw new UsageError('--node is all uplinks and services: leave out the uplink and --service');
  if (!options.node && uplink === undefined && options.service === undefined)
    throw new UsageError('name an uplink, --service or --node');
  return { uplink: uplink ?? null, service: options.service ?? null, family: options.family ?? null };
}

export type Ends =
  | { readonly kind: 'after'; readonly millis: number }
  | { readonly kind: 'at'; readonly time: string }
  | { readonly kind: 'never' };

/** An end must be said; `--until never` too. */
export function endsOf({ for: length, until }: EndOptions): Ends {
  if (length !== undefined && until !== undefined) throw new UsageError('either --for or --until, not both');
  if (length !== undefined) return { kind: 'after', millis: length };
  if (until === 'never') return { kind: 'never' };
  if (until === undefined)
    throw new UsageError('say when it ends: --for 2h, --until 2026-12-01T05:00:00+08:00, or --until never');
  const time = Date.parse(until);
  // A date without a zone would be read in the zone of whoever typed it.
  if (!Number.isFinite(time) || !/T.*(Z|[+-]\d\d:?\d\d)$/.test(until))
    throw new UsageError('--until takes a time with its zone, such as 2026-12-01T05:00:00+08:00, or never');
  return { kind: 'at', time: new Date(time).toISOString() };
}

export interface Reach {
  readonly address: DaemonAddress;
  readonly token: string | null;
  /** What to know where nobody answers; null: nothing. */
  readonly note: string | null;
}

/** The socket needs no network and no token; a config that cannot be read just now leaves its usual place. */
export async function reachOf(options: ReachOptions): Promise<Reach> {
  const loaded = await loadConfig(options.config);
  const config = loaded.kind === 'ok' ? loaded.config : null;
  if (options.url === undefined) {
    const path =
      config?.paths.control ?? (await loadControlSocket(options.config)) ?? '/run/causeway/control.sock';
    const note = config === null ? `${options.config} has problems: see \`causeway check\`` : null;
    return { address: { kind: 'socket', path }, token: null, note };
  }
  const file = options.tokenFile ?? config?.http.tokenFile ?? null;
  if (file === null) throw new UsageError('--url needs --token-file, or http.token_file in the config');
  try {
    return {
      address: { kind: 'url', url: options.url },
      token: (await readFile(file, 'utf8')).trim(),
      note: null,
    };
  } catch (error) {
    throw new UsageError(`the token cannot be read: ${messageOf(error)}`);
  }
}

function parseFamily(text: string): Family {
  if (text === '4') return 4;
  if (text === '6') return 6;
  throw new InvalidArgumentError('allowed: 4 or 6');
}

function parseLength(text: string): number {
  const parsed = parseDuration(text, { min: 1000, max: longestMillis });
  if (parsed.kind === 'ok') return parsed.value;
  throw new InvalidArgumentError(`allowed: ${parsed.flaws[0]?.allowed ?? 'a duration'}`);
}

/** Whoever became root is still themselves. */
function loginName(): string {
  const sudo = process.env['SUDO_USER'] ?? '';
  if (sudo !== '' && sudo !== 'root') return sudo;
  try {
    return userInfo().username;
  } catch {
    return `uid${process.getuid?.() ?? ''}`;
  }
}
