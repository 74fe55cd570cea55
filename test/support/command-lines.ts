/** Command lines out of documents and advice, read by the real program without running anything. */
import { CommanderError, type Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';

/** What the program says against the words behind `causeway`; null: it would run them. */
export async function complaintAbout(words: readonly string[]): Promise<string | null> {
  const said: string[] = [];
  const output = {
    answer: () => undefined,
    complain: (text: string) => void said.push(text),
    end: () => undefined,
  };
  const program = buildProgram(output);
  idle(program);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : (said[0] ?? error.message);
  }
}

/** Takes the actions away. */
function idle(command: Command): void {
  if (command.commands.length === 0) command.action(() => undefined);
  for (const one of command.commands) idle(one);
}

/**
 * The words behind each `causeway` of a line of a shell: of a pipe, a list, a substitution, or behind sudo. Comments are left
 * out. Good enough for documents, which keep to simple lines.
 */
export function causewayCommands(line: string): readonly (readonly string[])[] {
  return partsOf(line).flatMap((words) => {
    const plain = words.filter((word, index) => !(index === 0 && word === 'sudo'));
    return plain[0] === 'causeway' ? [plain.slice(1)] : [];
  });
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
