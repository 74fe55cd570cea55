/** The terminal that a command prints on: how wide, how high, with colour or without. */
import type { TableOptions } from './table.ts';

/** Where no terminal tells its size: wide enough that a pipe loses nothing. */
const pipeColumns = 200;
/** A terminal that does not know its own size says 0. */
const usualColumns = 80;
const usualRows = 24;

/** Whether stdout is a terminal. */
export function isTerminal(): boolean {
  return process.stdout.isTTY;
}

/** How wide the terminal is and whether colour is wanted (https://no-color.org); wide and plain where there is none. */
export function terminal(): TableOptions {
  if (!isTerminal()) return { columns: pipeColumns, colour: false };
  const colour = (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
  return { columns: process.stdout.columns || usualColumns, colour };
}

/** Lines of the terminal. */
export function terminalRows(): number {
  return process.stdout.rows || usualRows;
}
