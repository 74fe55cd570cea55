/** Text for manual pages in mdoc(7). Pure. */

/** Plain text as it may stand in a line or as an argument of a macro. */
export function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('"', '\\(dq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}

/** Longer lines are bad style to mandoc(1). */
const lineBytes = 78;

/** A paragraph: each sentence begins a line, as mandoc(1) wants it, and none is too long; no line is taken for a macro. */
export function sentences(text: string): readonly string[] {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?]) (?=[^a-z])/)
    .flatMap((sentence) => wrapped(escaped(sentence)))
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line));
}

function wrapped(sentence: string): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(`${last} ${word}`) > lineBytes) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** mandoc counts what it makes of a letter beyond ASCII: `\[u2026]`. */
function widthOf(line: string): number {
  return line.replaceAll(/[^ -~]/gu, '\\[u0000]').length;
}

/** An argument of a macro: what looks like a macro itself, or like punctuation, is taken as text. */
export function argument(text: string): string {
  return `"\\&${escaped(text)}"`;
}
