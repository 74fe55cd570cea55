/**
 * BIRD's configuration cut into its statements, as far as a diff and a rehearsal need it: comments gone, white space
 * made one, blocks kept together. Nothing is checked here; `bird -p` has accepted the text. Pure.
 */

export interface Statement {
  /** Whole, on one line: `hold time 30` or `protocol static x { route … }`. */
  readonly text: string;
  /** Up to the opening brace of a block, else all of it. */
  readonly head: string;
  /** Between the braces of a block, to be cut again; null: it is none. */
  readonly body: string | null;
}

/** The statements of a text or of a block's body, in their order. */
export function statementsOf(text: string): readonly Statement[] {
  const found: Statement[] = [];
  let [depth, start, braceAt] = [0, 0, -1];
  const plain = withoutComments(text);
  const end = (to: number, closed: boolean): void => {
    const one = statement(plain, start, braceAt, to, closed);
    if (one !== null) found.push(one);
    [start, braceAt] = [to + 1, -1];
  };
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain[at];
    if (character === '"') {
      const close = plain.indexOf('"', at + 1);
      if (close === -1) break;
      at = close;
    } else if (character === '{' || character === '[' || character === '(') {
      if (depth === 0 && character === '{') braceAt = at;
      depth += 1;
    } else if (character === '}' || character === ']' || character === ')') {
      depth -= 1;
      // A set such as [ 10.0.0.0/8{24,32} ] is deeper, so only a block ends here.
      if (depth === 0 && character === '}') end(at, true);
    } else if (character === ';' && depth === 0) end(at, false);
  }
  end(plain.length, false);
  return found;
}

function statement(
  text: string,
  start: number,
  braceAt: number,
  end: number,
  closed: boolean,
): Statement | null {
  const whole = oneLine(text.slice(start, closed ? end + 1 : end));
  if (whole === '') return null;
  if (!closed || braceAt === -1) return { text: whole, head: whole, body: null };
  return { text: whole, head: oneLine(text.slice(start, braceAt)), body: text.slice(braceAt + 1, end) };
}

/** Strings stay as they are: a `#` or a `;` in a description is none. */
function withoutComments(text: string): string {
  return text.replace(/"[^"]*"|#[^\n]*|\/\*[\s\S]*?\*\//g, (match) => (match.startsWith('"') ? match : ' '));
}

function oneLine(text: string): string {
  return text.replace(/"[^"]*"|\s+/g, (match) => (match.startsWith('"') ? match : ' ')).trim();
}
