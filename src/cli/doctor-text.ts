/** The findings of `causeway doctor` for people: a line for each check, and why and mend below what is not right. Pure. */
import type { Examined, Finding } from '../host/doctor.ts';
import { unreachable } from '../types/unreachable.ts';
import { paint, type Colour, type TableOptions } from './table.ts';
import { harmless, wrap } from './text-width.ts';

/** No line is wider than `columns` but commands, which are for copying. Ends with a line that counts. */
export function doctorText(results: readonly Examined[], options: TableOptions): string {
  const count = (kind: Finding['kind']): number =>
    results.filter((result) => result.finding.kind === kind).length;
  const lines = results.flatMap((result) => findingLines(result, options));
  const total = `${count('ok')} ok, ${count('warning')} warnings, ${count('wrong')} wrong, ${count('skipped')} not looked at`;
  return `${[...lines, total].join('\n')}\n`;
}

const indent = ' '.repeat(9);

function findingLines({ title, finding }: Examined, options: TableOptions): readonly string[] {
  switch (finding.kind) {
    case 'ok':
      return headLines('ok', 'green', `${title}: ${finding.text}`, options);
    case 'skipped':
      return headLines('skipped', 'dim', `${title}: ${finding.text}`, options);
    case 'wrong':
    case 'warning':
      return [
        ...headLines(
          finding.kind,
          finding.kind === 'wrong' ? 'red' : 'yellow',
          `${title}: ${finding.what} (${finding.code})`,
          options,
        ),
        ...wrap(finding.why, options.columns, `${indent}why:  `, `${indent}      `),
        `${indent}mend: ${harmless(finding.mend)}`,
      ];
    default:
      return unreachable(finding);
  }
}

function headLines(word: string, colour: Colour, text: string, options: TableOptions): readonly string[] {
  const [first = '', ...more] = wrap(text, options.columns, ' '.repeat(9), indent);
  return [`${paint(word.padEnd(8), colour, options.colour)} ${first.trimStart()}`, ...more];
}
