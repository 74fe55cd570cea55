/** `causeway history`: what happened, by whom and why; from the daemon, or from its files when it is down. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { historyFolder, readHistoryFiles } from '../store/history-files.ts';
import { queryOf } from '../types/history-query.ts';
import { messageOf } from '../types/message-of.ts';
import type { HistoryEntry } from '../types/wire/history.ts';
import { historyAnswer } from '../types/wire/history.ts';
import { openStream, textOf } from './daemon-stream.ts';
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

interface HistoryOptions extends ReadingOptions {
  readonly since?: string;
  readonly uplink?: string;
  readonly kind?: string;
  readonly limit: string;
  readonly json: boolean;
}

const mostBytes = 256 * 1024 * 1024;

/**
 * Adds the subcommand. Exit codes: 0 shown, from the daemon or from its files, which hold the same; 2 bad usage, 3 neither
 * the daemon nor its files can be read.
 */
export function registerHistory(program: Command, output: Output): void {
  const history = program
    .command('history')
    .description(
      'show what happened: verdicts, decisions, commands, what BIRD then showed, overrides, alarms',
    );
  addReading(history, 'the config, which names socket and state folder')
    .option('--since <time>', 'from then on: 2h (s, min, h, d) back, or a time in ISO 8601')
    .option('--uplink <name>', 'about this uplink alone')
    .option('--kind <kind>', 'of this kind alone, such as decision')
    .option('--limit <count>', 'the newest of them, at most this many', '200')
    .option('--json', 'print them as JSON', false)
    .addHelpText(
      'after',
      examples('causeway history --since 2h', 'causeway history --uplink cmi --kind decision --limit 20'),
    )
    .action(async (options: HistoryOptions) => output.end(await show(options, output)));
}

async function show(options: HistoryOptions, output: Output): Promise<ExitCode> {
  const { since, uplink, kind, limit } = options;
  const asked = Object.fromEntries(
    Object.entries({ since, uplink, kind, limit }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    ),
  );
  const query = queryOf(asked, Date.now());
  if (typeof query === 'string') {
    output.complain(`error: --${query}`);
    return exitCode.usage;
  }
  const credential = await credentialOrUsage(options, output);
  if (credential === null) return exitCode.usage;
  const headers = authorizationOf(credential);
  const addresses = await daemonAddresses(options, output);
  const path = `/v1/history?${new URLSearchParams(asked).toString()}`;
  const opened = await openStream(addresses, path, headers);
  switch (opened.kind) {
    case 'open': {
      const answer = historyAnswer.parse(JSON.parse(await textOf(opened.response, mostBytes)));
      const { entries, unknown } = knownEntries(answer.entries);
      if (unknown > 0) output.complain(`${unknown} entries are of kinds that this version does not know`);
      sayEntries(entries, options, output);
      return exitCode.done;
    }
    case 'refused':
      output.complain(`error: ${opened.text}`);
      return exitCode.usage;
    case 'unreachable':
      return fromFiles(options, opened.text, output, (folder) => readHistoryFiles(folder, query));
  }
}

async function fromFiles(
  options: HistoryOptions,
  tried: string,
  output: Output,
  read: (folder: string) => Promise<readonly HistoryEntry[]>,
): Promise<ExitCode> {
  if (options.url !== undefined) {
    output.complain(unreachableText(tried));
    return exitCode.unreachable;
  }
  const loaded = await loadConfig(options.config);
  const folder = join(loaded.kind === 'ok' ? loaded.config.paths.state : '/var/lib/causeway', historyFolder);
  try {
    const newestFirst = await read(folder);
    output.complain(`the daemon does not answer; read from ${folder}`);
    sayEntries([...newestFirst].reverse(), options, output);
    return exitCode.done;
  } catch (error) {
    output.complain(unreachableText(`${tried}\n${folder}: ${messageOf(error)}`));
    return exitCode.unreachable;
  }
}

function sayEntries(entries: readonly HistoryEntry[], { json }: HistoryOptions, output: Output): void {
  if (json) output.answer(JSON.stringify(entries, null, 2));
  else for (const entry of entries) output.answer(historyLine(entry, terminal()));
}
