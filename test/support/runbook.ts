/** The commands of docs/runbook.md. */
import { readFileSync } from 'node:fs';

/** Every line of code of a part of the page, in its order: what stands before the heading `# GeoDNS` is the node's. */
export function runbookCommands(part: 'node' | 'geodns'): readonly string[] {
  const [node = '', geodns = ''] = readFileSync('docs/runbook.md', 'utf8').split('\n# GeoDNS\n');
  const lines = (part === 'node' ? node : geodns).split('\n').filter((line) => /^ {4}\S/.test(line));
  return lines.map((line) => line.trim());
}
