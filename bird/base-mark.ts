/**
 * The mark of a base: a number in the owned file that stands for all of its text but the states. BIRD tells the mark of
 * the text that it really runs (`eval CAUSEWAY_BASE`), which the file on the disk and the times of `show status` cannot.
 * Pure.
 */
import { withoutStates } from './file-states.ts';

/** Name of the constant in BIRD. */
export const markName = 'CAUSEWAY_BASE';

const pattern = new RegExp(`^define ${markName} = (\\d+);`, 'm');

/** The line that marks a text of these lines, which do not have one yet. */
export function markLine(lines: readonly string[]): string {
  const mark = hash(withoutStates(lines));
  return `define ${markName} = ${mark};  # stands for this text but the states: \`birdc eval ${markName}\` tells which one runs`;
}

/** The mark of a text; null: it has none, being older than marks are. */
export function markOf(text: string): number | null {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

/** FNV-1a of 32 bits over UTF-16 units of the lines and their ends: it tells texts apart and keeps no secrets safe. */
function hash(lines: readonly string[]): number {
  let value = 0x811c9dc5;
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 1) value = Math.imul(value ^ line.charCodeAt(at), 0x01000193);
    value = Math.imul(value ^ 0x0a, 0x01000193);
  }
  return value >>> 0;
}
