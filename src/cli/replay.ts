/** `causeway replay`: what a policy would have decided from recorded outcomes, beside what happened. */
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parse, stringify } from 'yaml';
import { readConfig, type LoadResult } from '../config/read.ts';
import { loadConfig } from '../config/load.ts';
import { compare, type Comparison } from '../core/replay/compare.ts';
import type { RecordingHead } from '../core/replay/recording.ts';
import { startRun } from '../core/replay/run.ts';
import type { NodeConfig } from '../types/config.ts';
import { messageOf } from '../types/message-of.ts';
import { examples, exitCode, type ExitCode, type Output } from './exit.ts';
import { openRecording } from './recording-file.ts';
import { comparisonJson, comparisonText } from './replay-text.ts';

interface ReplayOptions {
  readonly policy?: string;
  readonly json: boolean;
}

/** Adds the subcommand. Exit codes: 0 the same withdrawals, 1 others, 2 the recording or the policy cannot be read. */
export function registerReplay(program: Command, output: Output): void {
  program
    .command('replay')
    .description('decide again from a recording, by its own policy or another, beside what happened')
    .argument('<file>', 'a recording, by `causeway record` or from the state folder')
    .option('--policy <file>', 'a config, or a file with `policy` and `guards` alone, to decide by')
    .option('--json', 'print the comparison as JSON', false)
    .addHelpText(
      'after',
      examples('causeway replay night.cwr', 'causeway replay night.cwr --policy stricter.yaml'),
    )
    .action(async (file: string, options: ReplayOptions) => output.end(await replay(file, options, output)));
}

async function replay(file: string, options: ReplayOptions, output: Output): Promise<ExitCode> {
  try {
    const { head, ticks, tornBytes } = await openRecording(file);
    const recorded = configOf(`${file} (config at its head)`, readConfig(file, head.config), output);
    if (recorded === null) return exitCode.usage;
    const other = options.policy === undefined ? recorded : await policyOf(options.policy, head, output);
    if (other === null) return exitCode.usage;
    if (tornBytes > 0) output.complain(`${file}: the last ${tornBytes} bytes are torn and left out`);
    const running = startRun({
      config: { ...recorded, policy: other.policy, guards: other.guards },
      tasks: head.tasks,
      health: head.health,
      decide: head.decide,
      at: head.monotonicAt,
    });
    const found = compare(head.monotonicAt, ticks, (tick) => running.step(tick));
    const shown = options.json ? comparisonJson : comparisonText;
    output.answer(shown(head, options.policy ?? null, found));
    return isAlike(found) ? exitCode.done : exitCode.no;
  } catch (error) {
    output.complain(`error: ${file}: ${messageOf(error)}`);
    return exitCode.usage;
  }
}

function isAlike({ onlyHappened, onlyWould }: Comparison): boolean {
  return onlyHappened.length === 0 && onlyWould.length === 0;
}

/** A whole config, or its `policy` and `guards` alone over those of the recording. */
async function policyOf(path: string, head: RecordingHead, output: Output): Promise<NodeConfig | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  const parts: unknown = text === null ? null : parse(text);
  const keys = typeof parts === 'object' && parts !== null ? Object.keys(parts) : [];
  const isPart = keys.length > 0 && keys.every((key) => key === 'policy' || key === 'guards');
  if (!isPart) return configOf(path, await loadConfig(path), output);
  const whole: unknown = parse(head.config);
  const merged = stringify({ ...Object(whole), ...Object(parts) });
  return configOf(`${path} over the recorded config`, readConfig(path, merged), output);
}

function configOf(what: string, result: LoadResult, output: Output): NodeConfig | null {
  if (result.kind === 'ok') return result.config;
  for (const problem of result.problems) output.complain(problem.text);
  output.complain(`error: ${what} is not valid`);
  return null;
}
