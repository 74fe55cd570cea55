/** How a benchmark tells its figures: on the standard output, and in a document where it is asked to. */
import { parseArgs } from 'node:util';
import { writeMarked } from './write-marked.ts';

export interface Report {
  /** The benchmark, whose name marks its place in the document. */
  readonly name: string;
  readonly text: string;
  readonly json: unknown;
  /** Absent: the text is lines of a terminal, which the document shows as they stand. */
  readonly isMarkdown?: true;
}

/** Prints the text, or with `--json` the figures; `--write FILE` puts the text into FILE too. */
export function report(args: readonly string[], { name, text, json, isMarkdown }: Report): void {
  const { values } = parseArgs({
    args: [...args],
    options: { write: { type: 'string' }, json: { type: 'boolean' } },
    // The others are the benchmark's.
    strict: false,
  });
  const shown = text.trimEnd();
  if (values.write === true) throw new Error('--write names no file');
  if (typeof values.write === 'string')
    writeMarked(values.write, name, isMarkdown ? shown : `\`\`\`text\n${shown}\n\`\`\``);
  process.stdout.write(values.json === true ? `${JSON.stringify(json)}\n` : `${shown}\n`);
}
