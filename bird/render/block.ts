/** The pieces that the sections are made of: strings and blocks in BIRD's syntax. */
import { type FileState, stateLines } from '../file-states.ts';

/**
 * A quoted string. BIRD knows no escape in it, so what cannot stand there is a RangeError; the value is not in the message,
 * since it may be a secret.
 */
export function quoted(value: string, what: string): string {
  if (/["\p{Cc}\p{Cs}]/u.test(value))
    throw new RangeError(`${what} holds a double quote or a control character, which BIRD cannot read`);
  if (Buffer.byteLength(value) > 255) throw new RangeError(`${what} is longer than 255 bytes`);
  return `"${value}"`;
}

/** A block: the opening line without its brace, and the lines inside. */
export function block(opening: string, body: readonly string[]): readonly string[] {
  return [`${opening} {`, ...body.map(indent), '}'];
}

/** A protocol whose state can change: the two state lines come first. */
export function statefulBlock(opening: string, state: FileState, body: readonly string[]): readonly string[] {
  return [`${opening} {`, ...stateLines(state), ...body.map(indent), '}'];
}

/** A section with its heading. Without lines there is no section. */
export function section(heading: readonly string[], lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ['', ...heading.map((line, index) => (index === 0 ? `# ---- ${line}` : `#      ${line}`)), ...lines];
}

/** A list of set members, a few on each line. */
export function set(members: readonly string[]): string {
  const perLine = 8;
  const rows: string[] = [];
  for (let at = 0; at < members.length; at += perLine) rows.push(members.slice(at, at + perLine).join(', '));
  return `[ ${rows.join(',\n  ')} ]`;
}

function indent(line: string): string {
  return line === '' ? line : `  ${line}`;
}
