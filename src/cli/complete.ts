/** What may stand at a place of a command line, from the same definitions that read it. Pure. */
import type { Argument, Command, Option } from 'commander';

/** Names that the config of the node has. */
export interface KnownNames {
  readonly uplinks: readonly string[];
  readonly services: readonly string[];
  readonly scenarios: readonly string[];
  /** Of the history. */
  readonly kinds: readonly string[];
}

export interface Candidate {
  readonly word: string;
  /** For shells that show it; empty: none. */
  readonly meaning: string;
}

/** `words` follow the program's name; the last one is being typed and may be empty. None: a file name, or nothing is known. */
export function candidatesFor(
  program: Command,
  words: readonly string[],
  names: KnownNames,
): readonly Candidate[] {
  const typed = words.at(-1) ?? '';
  const place = placeAt(program, words.slice(0, -1));
  return possible(place, typed, names).filter(({ word }) => word.startsWith(typed));
}

/** Value of `-c` or `--config` on the line; null: it is not given. */
export function configIn(words: readonly string[]): string | null {
  const at = words.findLastIndex((word) => word === '-c' || word === '--config');
  return at === -1 || at >= words.length - 2 ? null : (words[at + 1] ?? null);
}

interface Place {
  readonly command: Command;
  /** Long names of options that stand on the line already. */
  readonly used: ReadonlySet<string>;
  /** Arguments of the command that stand before. */
  readonly before: number;
  /** An option whose value comes next. */
  readonly option: Option | null;
}

/** Walks over the words that are complete. */
function placeAt(program: Command, words: readonly string[]): Place {
  let command = program;
  let before = 0;
  let option: Option | null = null;
  const used = new Set<string>();
  for (const word of words) {
    if (option !== null) {
      option = null;
      continue;
    }
    if (word.startsWith('-')) {
      const found = command.options.find((one) => one.long === word || one.short === word);
      if (found?.long !== undefined) used.add(found.long);
      option = found !== undefined && (found.required || found.optional) ? found : null;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) before += 1;
    else command = next;
  }
  return { command, used, before, option };
}

function possible(
  { command, used, before, option }: Place,
  typed: string,
  names: KnownNames,
): readonly Candidate[] {
  if (option !== null) return valuesOf(option, names);
  if (typed.startsWith('-')) return optionsOf(command, used);
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), meaning: one.description() }));
  const argument =
    command.registeredArguments[before] ?? command.registeredArguments.findLast((one) => one.variadic);
  return [...commands, ...(argument === undefined ? [] : argumentsOf(argument, names))];
}

function optionsOf(command: Command, used: ReadonlySet<string>): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description, variadic }) =>
      long === undefined || (used.has(long) && !variadic) ? [] : [{ word: long, meaning: description }],
    );
}

/** Options that name a file have none: the shell knows files. */
function valuesOf(option: Option, names: KnownNames): readonly Candidate[] {
  if (option.argChoices !== undefined) return plain(option.argChoices);
  switch (option.long) {
    case '--service':
      return plain(names.services);
    case '--uplink':
      return plain(names.uplinks);
    case '--family':
      return plain(['4', '6']);
    case '--kind':
      return plain(names.kinds);
    case '--for':
    case '--since':
    case '--drain-for':
      return plain(['30min', '2h', '8h', '1d']);
    case '--until':
      return [{ word: 'never', meaning: 'until it is released; or a time with its zone' }];
    default:
      return [];
  }
}

function argumentsOf(argument: Argument, names: KnownNames): readonly Candidate[] {
  if (argument.argChoices !== undefined) return plain(argument.argChoices);
  switch (argument.name()) {
    case 'uplink':
      return plain(names.uplinks);
    case 'what':
      return [{ word: 'config', meaning: 'the effective config' }, ...plain(names.uplinks)];
    case 'scenario':
      return plain(['all', ...names.scenarios]);
    default:
      return [];
  }
}

function plain(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => ({ word, meaning: '' }));
}
