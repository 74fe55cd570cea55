/** The text of a journal: one line an entry, `<crc32> <json>\n`. Pure; `journal.ts` does the files. */
import { checksum } from './checksum.ts';

export interface JournalRead {
  readonly entries: readonly unknown[];
  /** Bytes up to the end of the last whole line; what follows was torn by a crash and is cut off. */
  readonly goodBytes: number;
  readonly tornBytes: number;
  /** Numbers of lines in the middle that do not match their checksum; their entries are lost, the others stand. */
  readonly damagedLines: readonly number[];
}

/** One line. Throws a TypeError for a value that JSON cannot hold. */
export function journalLine(entry: unknown): string {
  const json: string | undefined = JSON.stringify(entry);
  if (json === undefined) throw new TypeError('a journal entry must be a JSON value');
  return `${checksum(json)} ${json}\n`;
}

/**
 * Reads as much as can be trusted. A bad last line is torn, whether or not its newline came through; a bad line before
 * good ones is damage of the disk or a hand.
 */
export function readJournal(bytes: Uint8Array): JournalRead {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: unknown[] = [];
  let damaged: number[] = [];
  const damagedLines: number[] = [];
  let goodBytes = 0;
  let start = 0;
  for (let line = 1; start < buffer.length; line += 1) {
    const end = buffer.indexOf(10, start);
    if (end === -1) break;
    const entry = parseLine(buffer.toString('utf8', start, end));
    if (entry === undefined) damaged.push(line);
    else {
      entries.push(entry.value);
      damagedLines.push(...damaged);
      damaged = [];
      goodBytes = end + 1;
    }
    start = end + 1;
  }
  return { entries, goodBytes, tornBytes: buffer.length - goodBytes, damagedLines };
}

function parseLine(line: string): { readonly value: unknown } | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || checksum(json) !== line.slice(0, 8)) return undefined;
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return undefined;
  }
}
