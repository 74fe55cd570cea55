/** `causeway render`: BIRD's configuration from the config, printed or written; a running BIRD is never touched. */
import type { Command } from 'commander';
import { installedVersion } from '../../bird/apply/installed-version.ts';
import { readPasswords } from '../../bird/apply/passwords.ts';
import { type FileStates, NotOwnedError, readStates } from '../../bird/file-states.ts';
import {
  checkSyntax,
  discardStaged,
  OwnedFileError,
  readOwned,
  stageOwned,
  swapOwned,
  type SyntaxCheck,
} from '../../bird/owned-file.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { unmetNeeds, versionNeeds } from '../../bird/render/needs.ts';
import type { NodeConfig } from '../types/config.ts';
import { unreachable } from '../types/unreachable.ts';
import {
  defaultConfigFile,
  examples,
  exitCode,
  type ExitCode,
  type Output,
  processOutput,
  requireConfig,
} from './exit.ts';

interface RenderOptions {
  readonly config: string;
  readonly write: boolean;
  readonly plain: boolean;
  readonly json: boolean;
  readonly bird: string;
}

/** What is wrong, and the exit code that says so. */
class Refusal extends Error {
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Adds the subcommand. Exit codes: 0 printed or written, 1 BIRD refuses the text or the file cannot be written, 2 config
 * or usage, 3 there is no `bird` to check with.
 */
export function registerRender(program: Command, output: Output = processOutput()): void {
  program
    .command('render')
    .description("print BIRD's configuration for this node, or write the file that Causeway owns")
    .option('-c, --config <file>', 'config file', defaultConfigFile)
    .option('--write', 'check with bird -p and write the owned file; a running BIRD is not touched', false)
    .option('--plain', 'everything announced, instead of the states in the file that is there', false)
    .option('--json', 'print path, text and states as JSON', false)
    .option('--bird <binary>', 'bird to check with', 'bird')
    .addHelpText(
      'after',
      `\nPasswords are written, but never printed.\n${examples(
        'causeway render',
        'causeway render --write',
        'causeway render --write --plain',
      )}`,
    )
    .action(async (options: RenderOptions) => {
      const read = await requireConfig(options.config, output);
      if (read === null) return;
      try {
        output.answer(await render(read.config, options));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        output.complain(error.message);
        output.end(error.code);
      }
    });
}

/** Does what the options say, and gives what is to be printed. */
async function render(config: NodeConfig, options: RenderOptions): Promise<string> {
  const path = config.bird.config;
  const states = options.plain ? new Map() : await statesToKeep(config, path);
  if (options.write) await write(config, states, options.bird);
  const text = renderOrRefuse(config, states, new Map());
  if (options.json) {
    const all = Object.fromEntries(readStates(text));
    const document = { path, layout: config.bird.layout, written: options.write, states: all, text };
    return JSON.stringify(document, null, 2);
  }
  return options.write ? `${path} is written; BIRD takes it with the next configure` : text.trimEnd();
}

/** The states in the file that is there, so that a withdrawal is not undone; of protocols that the config still makes. */
async function statesToKeep(config: NodeConfig, path: string): Promise<FileStates> {
  const plainly = 'with --plain everything is announced, whatever it says';
  try {
    const made = readStates(renderOrRefuse(config, new Map(), new Map()));
    return new Map([...readStates(await readOwned(path))].filter(([name]) => made.has(name)));
  } catch (error) {
    if (error instanceof OwnedFileError && error.code === 'ENOENT') return new Map();
    if (error instanceof OwnedFileError) throw new Refusal(exitCode.no, `${error.message}; ${plainly}`);
    if (error instanceof NotOwnedError)
      throw new Refusal(exitCode.no, `${path} is not a whole file of Causeway: ${error.message}; ${plainly}`);
    throw error;
  }
}

async function write(config: NodeConfig, states: FileStates, binary: string): Promise<void> {
  const path = config.bird.config;
  const read = await readPasswords(config.uplinks);
  if (read.kind === 'bad')
    throw new Refusal(exitCode.usage, read.problems.map(({ text }) => text).join('\n'));
  await requireVersion(config, binary);
  const text = renderOrRefuse(config, states, read.passwords);
  try {
    const staged = await stageOwned(path, text);
    try {
      const problem = problemOf(await checkSyntax(staged, { binary }), path, text);
      if (problem !== null) throw problem;
      await swapOwned(staged, path);
    } finally {
      await discardStaged(staged);
    }
  } catch (error) {
    if (error instanceof OwnedFileError) throw new Refusal(exitCode.no, error.message);
    throw error;
  }
}

/** In words of the config, where `bird -p` would name a line of the rendered text. */
async function requireVersion(config: NodeConfig, binary: string): Promise<void> {
  if (versionNeeds(config).length === 0) return;
  const version = await installedVersion(binary);
  if (version === null) return;
  const unmet = unmetNeeds(config, version);
  if (unmet.length > 0) throw new Refusal(exitCode.usage, unmet.join('\n'));
}

function problemOf(check: SyntaxCheck, path: string, text: string): Refusal | null {
  const kept = `${path} is left as it was`;
  switch (check.kind) {
    case 'ok':
      return null;
    case 'refused': {
      const place = check.line === null ? '' : ` at line ${check.line}, column ${check.column}`;
      const line = shownLine(text, check.line);
      return new Refusal(
        exitCode.no,
        `bird -p refuses the rendered text${place}: ${check.text}${line}; ${kept}`,
      );
    }
    case 'died':
      return new Refusal(exitCode.no, `bird -p was ended by ${check.signal} on the rendered text; ${kept}`);
    case 'no-bird':
      return new Refusal(exitCode.unreachable, `${check.text}; install BIRD or name it with --bird; ${kept}`);
    default:
      return unreachable(check);
  }
}

/** Its comment names the key of the config that it came from. One with a secret is not shown. */
function shownLine(text: string, line: number | null): string {
  const found = line === null ? undefined : text.split('\n')[line - 1];
  if (found === undefined || found.trim() === '' || /\b(password|secret)\b/.test(found)) return '';
  return ` (${found.trim()})`;
}

function renderOrRefuse(
  config: NodeConfig,
  states: FileStates,
  passwords: ReadonlyMap<string, string>,
): string {
  try {
    return renderConfig(config, states, passwords);
  } catch (error) {
    if (error instanceof RangeError)
      throw new Refusal(exitCode.usage, `the config cannot be rendered: ${error.message}`);
    throw error;
  }
}
