/** Figures that stand in a document: the text between two comments, replaced by each run that asks for it. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. Throws where the file has no such place. */
export function writeMarked(file: string, name: string, text: string): void {
  const before = readFileSync(file, 'utf8');
  const open = `<!-- ${name} -->\n`;
  const from = before.indexOf(open);
  const to = before.indexOf(`<!-- /${name} -->`);
  if (from < 0 || to < from)
    throw new Error(`${file} has no place for ${name}: ${open.trim()} … <!-- /${name} -->`);
  writeFileSync(file, `${before.slice(0, from + open.length)}\n${text}\n\n${before.slice(to)}`);
}
