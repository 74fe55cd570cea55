/** A BIRD configuration in which only what counts is left, at the same offsets. Pure. */

/** The same text with comments and strings as blanks, so that braces and words can be searched; lines stay. */
export function maskText(text: string): string {
  return text.replaceAll(/"[^"\n]*"|#[^\n]*|\/\*[\s\S]*?\*\//g, (found) => found.replaceAll(/[^\n]/g, ' '));
}

/** A piece of a text: `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Between the brace at `open` and the one that closes it, without both; null: none does. */
export function insideBraces(masked: string, open: number): Span | null {
  let depth = 0;
  for (let at = open; at < masked.length; at += 1) {
    if (masked[at] === '{') depth += 1;
    if (masked[at] === '}') depth -= 1;
    if (depth === 0) return { start: open + 1, end: at };
  }
  return null;
}

export interface Block {
  /** From its first word to its closing brace. */
  readonly whole: Span;
  /** Between the braces. */
  readonly body: Span;
  /** Between the name and the brace. */
  readonly rest: string;
}

/** The block that begins with these words and this name: `protocol bgp NAME … {`. Null: there is none, or more than one. */
export function findBlock(masked: string, words: string, name: string): Block | null {
  const literal = name.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  const head = new RegExp(String.raw`(?<![\w.'])${words}\s+'?${literal}'?(?![\w.'])([^{};]*)\{`, 'g');
  const found = [...masked.matchAll(head)].flatMap((match): readonly Block[] => {
    const body = insideBraces(masked, match.index + match[0].length - 1);
    return body === null
      ? []
      : [{ whole: { start: match.index, end: body.end + 1 }, body, rest: match[1] ?? '' }];
  });
  const [block, ...more] = found;
  return block === undefined || more.length > 0 ? null : block;
}

/** The text with each span replaced; spans must not overlap. */
export function replaceSpans(text: string, changes: readonly (Span & { readonly by: string })[]): string {
  let result = text;
  for (const { start, end, by } of changes.toSorted((a, b) => b.start - a.start))
    result = `${result.slice(0, start)}${by}${result.slice(end)}`;
  return result;
}
