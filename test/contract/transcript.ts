/**
 * Conversations recorded on real BIRDs of five versions, as `<version>/NN-name.txt`: `C: ` a line that was sent, `S: ` a
 * line that came, `S+ ` bytes that came unasked (as a Python literal), `S!` the end, `L: ` BIRD's log, `#` a note.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Exchange {
  /** What was sent; null for the greeting. */
  readonly command: string | null;
  /** What came, with line ends. */
  readonly bytes: Buffer;
}

/** Folder of all versions. */
export const transcripts = join(import.meta.dirname, 'bird-transcripts');

export const versions: readonly string[] = readdirSync(transcripts).sort();

export function transcriptNames(version: string): readonly string[] {
  return readdirSync(join(transcripts, version)).sort();
}

/** The exchanges of one file in order; a second greeting is a second connection. */
export function readTranscript(version: string, name: string): readonly Exchange[] {
  const exchanges: { command: string | null; text: string }[] = [];
  for (const line of readFileSync(join(transcripts, version, name), 'utf8').split('\n')) {
    const body = line.slice(3);
    if (line.startsWith('S: 0001 BIRD ')) exchanges.push({ command: null, text: `${body}\n` });
    else if (line.startsWith('C: ')) exchanges.push({ command: body, text: '' });
    else if (line.startsWith('S: ')) append(exchanges, `${body}\n`);
    else if (line.startsWith("S+ b'")) append(exchanges, body.slice(2, -1).replaceAll(String.raw`\n`, '\n'));
  }
  return exchanges.map(({ command, text }) => ({ command, bytes: Buffer.from(text) }));
}

/** The reply's bytes to the nth asking of a command in a file. */
export function replyBytes(version: string, prefix: string, command: string, nth = 0): Buffer {
  const name = transcriptNames(version).find((file) => file.startsWith(prefix));
  const found = readTranscript(version, name ?? prefix).filter((exchange) => exchange.command === command);
  const bytes = found[nth]?.bytes;
  if (bytes === undefined) throw new Error(`${version}/${prefix}: no ${command} number ${nth}`);
  return bytes;
}

function append(exchanges: { text: string }[], text: string): void {
  const last = exchanges.at(-1);
  if (last === undefined) throw new Error(`text before any command: ${text}`);
  last.text += text;
}
