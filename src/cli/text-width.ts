/** How much room text takes on a terminal, and text that fits into it. Pure. */

/** East Asian wide and fullwidth letters and emoji take two cells (UAX #11); operators' reasons may have them. */
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
/** Marks that stand on the letter before them. */
const mark = /\p{Mn}|\p{Me}|\u200D|\uFE0F/u;
/** Text of others may carry escape sequences, which a terminal would obey. */
// oxlint-disable-next-line no-control-regex -- control characters are what it takes out
const control = /[\u0000-\u001F\u007F-\u009F]/g;
const plain = /^[\u0020-\u007E]*$/;

/** Cells of one character. */
function cellsOf(character: string): number {
  if (mark.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Cells of a text without colour. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += cellsOf(character);
  return cells;
}

/** The text without control characters: each becomes a space. */
export function harmless(text: string): string {
  return plain.test(text) ? text : text.replace(control, ' ');
}

/** Cuts text to a width in cells, with an ellipsis where something is missing. Control characters become spaces. */
export function cut(given: string, width: number): string {
  const text = harmless(given);
  if (widthOf(text) <= width) return text;
  const room = width <= 1 ? Math.max(0, width) : width - 1;
  return `${headOf(text, room)}${width <= 1 ? '' : '…'}`;
}

/** Spaces behind it, up to a width in cells. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/**
 * Lines of at most `width` cells, broken at spaces; a word that is longer is broken where the line ends. `first` begins the
 * first line, `more` the others.
 */
export function wrap(text: string, width: number, first: string, more: string): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isFresh = true;
  const next = (): void => {
    lines.push(line.trimEnd());
    line = more;
    isFresh = true;
  };
  for (const word of harmless(text).split(' ')) {
    if (!isFresh && widthOf(line) + 1 + widthOf(word) > width) next();
    line += isFresh ? '' : ' ';
    isFresh = false;
    let rest = word;
    while (widthOf(line) + widthOf(rest) > width) {
      const head = headOf(rest, Math.max(1, width - widthOf(line)));
      if (head === '') break;
      line += head;
      rest = rest.slice(head.length);
      if (rest !== '') next();
      isFresh = false;
    }
    line += rest;
  }
  return [...lines, line.trimEnd()];
}

/** As many characters from the start as fit. */
function headOf(text: string, width: number): string {
  let cells = 0;
  let head = '';
  for (const character of text) {
    cells += cellsOf(character);
    if (cells > width) return head;
    head += character;
  }
  return head;
}
