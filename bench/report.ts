/** How a benchmark tells its figures: on the standard output, and in a document where it is asked to. */
import { writeMarked } from './write-marked.ts';

export interface Report {
  /** The benchmark, whose name marks its place in the document. */
  readonly name: string;
  /** Lines that stand well in 80 columns of a terminal. */
  readonly text: string;
  readonly json: unknown;
}

/** Prints the text, or with `--json` the figures; `--write FILE` puts the text into FILE too. */
export function report(args: readonly string[], { name, text, json }: Report): void {
  const at = args.indexOf('--write');
  const file = at === -1 ? undefined : args[at + 1];
  if (at !== -1 && file === undefined) throw new Error('--write names no file');
  if (file !== undefined) writeMarked(file, name, `\`\`\`text\n${text.trimEnd()}\n\`\`\``);
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(json)}\n` : `${text.trimEnd()}\n`);
}
