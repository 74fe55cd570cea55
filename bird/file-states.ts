/**
 * The wish as it stands in the owned file. Each protocol whose state can change has, right behind its opening line,
 * `  disabled yes;` or `  disabled no;` and then `  description "…";`. A change of the wish alters these lines only, so
 * no new base can come in with it. Pure: text in, text out.
 */
import { cleanText } from './message.ts';

export interface FileState {
  readonly disabled: boolean;
  /** Shown by `birdc show protocols all`; cleaned by `cleanText` when it is written. */
  readonly description: string;
}

export type FileStates = ReadonlyMap<string, FileState>;

/** First and last line of every owned file: a text without them is foreign or cut off. */
export const firstLine =
  '# This file belongs to Causeway, which writes it anew: what is changed here is lost.';
export const lastLine = "# End of Causeway's file.";

/** The text is not a whole owned file; the message says what is wrong and in which line. */
export class NotOwnedError extends Error {
  override readonly name = 'NotOwnedError';
}

/** The two lines of a protocol, as `restate` writes them and `readStates` reads them. */
export function stateLines(state: FileState): readonly [string, string] {
  const description = cleanText(state.description);
  return [`  disabled ${state.disabled ? 'yes' : 'no'};`, `  description "${description}";`];
}

/** The states of all protocols that have one, in the file's order. Throws NotOwnedError for a foreign or cut text. */
export function readStates(text: string): FileStates {
  return new Map(locate(text.split('\n')).map(({ name, state }) => [name, state]));
}

/**
 * The same text with these states; protocols that are not named keep theirs. Throws NotOwnedError for a foreign text, and
 * RangeError for a name that the file does not have, because that wish would be lost silently.
 */
export function restate(text: string, states: FileStates): string {
  const lines = text.split('\n');
  const wanted = new Map(states);
  for (const { name, line, state } of locate(lines)) {
    const next = wanted.get(name);
    wanted.delete(name);
    if (next === undefined || same(next, state)) continue;
    [lines[line], lines[line + 1]] = stateLines(next);
  }
  const unknown = [...wanted.keys()];
  if (unknown.length > 0) throw new RangeError(`the file has no protocol ${unknown.join(', ')}`);
  return lines.join('\n');
}

/** The lines with every state left empty: what is the same whatever the wish is. */
export function withoutStates(lines: readonly string[]): readonly string[] {
  const blanked = [...lines];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    // Most lines are routes, and there may be a hundred thousand of them.
    if (line.startsWith('protocol ') && opening.test(line)) blanked.fill('', index + 1, index + 3);
  }
  return blanked;
}

/** Whether two texts are owned files that differ in nothing but their states. */
export function sameBase(a: string, b: string): boolean {
  const [baseA, baseB] = [baseOf(a), baseOf(b)];
  return baseA !== null && baseA === baseB;
}

function baseOf(text: string): string | null {
  try {
    const lines = text.split('\n');
    for (const { line } of locate(lines)) [lines[line], lines[line + 1]] = ['', ''];
    return lines.join('\n');
  } catch (error) {
    if (error instanceof NotOwnedError) return null;
    throw error;
  }
}

function same(a: FileState, b: FileState): boolean {
  return a.disabled === b.disabled && a.description === b.description;
}

interface Located {
  readonly name: string;
  /** Index of the `disabled` line; the description is the next. */
  readonly line: number;
  readonly state: FileState;
}

const opening = /^protocol [a-z]+ ((?:announce|drain|learn|bgp)_[a-z0-9_]+)(?: from \w+)? \{$/;

function locate(lines: readonly string[]): readonly Located[] {
  if (lines[0] !== firstLine) throw new NotOwnedError(`line 1 is not that of Causeway's file`);
  if (lines.at(-2) !== lastLine || lines.at(-1) !== '')
    throw new NotOwnedError(`the last line is not that of Causeway's file: it was cut off or added to`);
  const found = new Map<string, Located>();
  for (const [index, text] of lines.entries()) {
    const name = opening.exec(text)?.[1];
    if (name === undefined) continue;
    if (found.has(name)) throw new NotOwnedError(`line ${index + 1}: ${name} stands in the file twice`);
    found.set(name, { name, line: index + 1, state: stateAt(lines, index + 1, name) });
  }
  return [...found.values()];
}

function stateAt(lines: readonly string[], index: number, name: string): FileState {
  const disabled = /^ {2}disabled (yes|no);$/.exec(lines[index] ?? '')?.[1];
  const description = /^ {2}description "([^"]*)";$/.exec(lines[index + 1] ?? '')?.[1];
  if (disabled === undefined || description === undefined)
    throw new NotOwnedError(
      `line ${index + 1}: the disabled and description lines of ${name} are not where they belong`,
    );
  return { disabled: disabled === 'yes', description };
}
