/** The findings of `causeway doctor` for people: a line for each check, and why and mend below what is not right. Pure. */
import type { Examined, Finding } from '../host/doctor.ts';
import { unreachable } from '../types/unreachable.ts';
import { paint } from './table.ts';

/** Ends with a line that counts. */
export function doctorText(results: readonly Examined[], colour: boolean): string {
  const count = (kind: Finding['kind']): number =>
    results.filter(({ finding }) => finding.kind === kind).length;
  const lines = results.flatMap((result) => findingLines(result, colour));
  const total = `${count('ok')} ok, ${count('warning')} warnings, ${count('wrong')} wrong, ${count('skipped')} not looked at`;
  return `${[...lines, total].join('\n')}\n`;
}

function findingLines({ title, finding }: Examined, colour: boolean): readonly string[] {
  switch (finding.kind) {
    case 'ok':
      return [`${paint('ok      ', 'green', colour)} ${title}: ${finding.text}`];
    case 'skipped':
      return [`${paint('skipped ', 'dim', colour)} ${title}: ${finding.text}`];
    case 'wrong':
    case 'warning':
      return [
        `${paint(finding.kind.padEnd(8), finding.kind === 'wrong' ? 'red' : 'yellow', colour)} ${title}: ${finding.what}`,
        `         why:  ${finding.why}`,
        `         mend: ${finding.mend}`,
      ];
    default:
      return unreachable(finding);
  }
}
