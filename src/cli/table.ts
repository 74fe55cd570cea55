/** A small table for terminals: columns as wide as they need to be, the last one cut so that a line fits. Pure. */
import { cut, padded, widthOf } from './text-width.ts';

export { cut };

export type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

const codes: Readonly<Record<Colour, string>> = {
  red: '31',
  yellow: '33',
  green: '32',
  dim: '2',
  bold: '1',
};

/** Text with ANSI colour, or as it is where colour is off. */
export function paint(text: string, colour: Colour | null, on: boolean): string {
  return on && colour !== null && text !== '' ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text;
}

export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

export interface TableOptions {
  /** Width of the terminal in characters. */
  readonly columns: number;
  readonly colour: boolean;
}

/** Lines of a table with a head; two spaces between columns, none at the end of a line. */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): readonly string[] {
  const headRow = head.map((text): Cell => ({ text, colour: 'dim' }));
  const all = [headRow, ...rows];
  const widths = head.map((_, column) => Math.max(0, ...all.map((row) => widthOf(row[column]?.text ?? ''))));
  return all.map((row) => line(row, widths, options));
}

function line(row: readonly Cell[], widths: readonly number[], options: TableOptions): string {
  let left = options.columns;
  const parts: string[] = [];
  row.forEach((cell, column) => {
    const width = Math.max(0, Math.min(widths[column] ?? 0, left));
    const last = column === row.length - 1;
    const text = cut(cell.text, width);
    const room = last ? '' : padded(text, width).slice(text.length);
    parts.push(paint(text, cell.colour ?? null, options.colour) + room);
    left -= width + 2;
  });
  return parts.join('  ').trimEnd();
}
