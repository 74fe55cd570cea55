/** What the pieces of the edge's benchmark give: tables, and gates that are kept or missed. */

export interface Gate {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  /** null: there is none. */
  readonly high: number | null;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  /** The first cell of a row is its name. */
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Piece {
  readonly tables: readonly Table[];
  readonly gates: readonly Gate[];
}

/** A gate with a lowest value, or between two. */
export function gate(name: string, value: number, low: number, high: number | null = null): Gate {
  return { name, value, low, high };
}

/** Not a number is a miss: something was not measured. */
export function kept({ value, low, high }: Gate): boolean {
  return value >= low && (high === null || value <= high);
}

/** The middle of values in order; of an even number the upper one. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A number as a table shows it. */
export function figure(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** All of it in Markdown. */
export function textOf(pieces: readonly Piece[]): string {
  const tables = pieces.flatMap((piece) => piece.tables).map(tableText);
  return [...tables, gatesText(pieces.flatMap((piece) => piece.gates))].join('\n\n');
}

function tableText({ title, columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [title, '', line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

function gatesText(gates: readonly Gate[]): string {
  const rows = gates.map((one) => {
    const wanted = one.high === null ? `≥ ${one.low}` : `${one.low} to ${one.high}`;
    return [one.name, figure(one.value, 3), wanted, kept(one) ? 'kept' : '**missed**'];
  });
  return tableText({ title: 'Gates', columns: ['what', 'measured', 'reach', ''], rows });
}
