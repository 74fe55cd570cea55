/** Command lines out of documents and advice, read by the real program without running anything. */
import { CommanderError, type Command } from 'commander';
import { buildProgram as buildEdge } from '../../edge/program.ts';
import { buildProgram as buildGeoDns } from '../../geodns/cli/program.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { unreachable } from '../../src/types/unreachable.ts';

export type ProgramName = 'causeway' | 'causeway-edge' | 'causeway-geodns';

/** What the program says against the words behind its name; null: it would run them. */
export async function complaintAbout(
  words: readonly string[],
  name: ProgramName = 'causeway',
): Promise<string | null> {
  const said: string[] = [];
  const program = programOf(name);
  idle(program, (text) => void said.push(text));
  try {
    await program.parseAsync([...words], { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : (said[0] ?? error.message);
  }
}

export function programOf(name: ProgramName): Command {
  const nothing = (): undefined => undefined;
  switch (name) {
    case 'causeway':
      return buildProgram({ answer: nothing, complain: nothing, end: nothing });
    case 'causeway-edge':
      return buildEdge({ say: nothing, complain: nothing, end: nothing });
    case 'causeway-geodns':
      return buildGeoDns();
    default:
      return unreachable(name);
  }
}

/** Takes the actions away, and what would end the process or print. */
function idle(command: Command, complain: (text: string) => void): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: () => undefined, writeErr: (text) => complain(text.trimEnd()) });
  if (command.commands.length === 0) command.action(() => undefined);
  for (const one of command.commands) idle(one, complain);
}

/**
 * The words behind each `causeway`, or another program, of a line of a shell: of a pipe, a list, a substitution, or behind sudo. Comments are left
 * out. Good enough for documents, which keep to simple lines.
 */
export function causewayCommands(
  line: string,
  name: ProgramName = 'causeway',
): readonly (readonly string[])[] {
  return partsOf(line).flatMap((words) => {
    const plain = words.filter((word, index) => !(index === 0 && word === 'sudo'));
    return plain[0] === name ? [plain.slice(1)] : [];
  });
}

/** The program of each simple command of a line: `causeway routing | sh` has two. */
export function programsOf(line: string): readonly string[] {
  return partsOf(line).flatMap(([name]) => name ?? []);
}

/** Words of each simple command. */
function partsOf(line: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  const words =
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\|\||&&|<\(|\$\(|[|;()&])|(\d*[<>]{1,2}&?\S*\s*[^\s|;&]*)|((?:[^\s|;&()'"<>]|\\.)+)|(#.*$)/g;
  for (const [, double, single, separator, redirect, bare, comment] of line.matchAll(words)) {
    if (comment !== undefined) break;
    if (redirect !== undefined) continue;
    if (separator !== undefined) parts.push([]);
    else {
      const word = double ?? single ?? bare ?? '';
      if (bare?.startsWith('#') === true) break;
      parts.at(-1)?.push(word);
    }
  }
  return parts;
}
