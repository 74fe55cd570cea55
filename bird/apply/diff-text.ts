/** A difference of bases in sentences, for operators. Pure. */
import type { BaseDiff, PrefixEffect, SessionEffect } from '../../src/types/wire/apply.ts';
import { consentNeeded } from './diff.ts';
import { unreachable } from '../../src/types/unreachable.ts';

/** One line for each effect, under headings; what needs consent says which. */
export function diffLines(diff: BaseDiff): readonly string[] {
  if (diff.same) return ['no differences: the config and the confirmed text are the same'];
  const needed = consentNeeded(diff);
  const sections = [
    section('sessions', diff.sessions.map(sessionLine)),
    section('announcements', diff.prefixes.map(prefixLine)),
    section('other protocols', diff.others),
  ].flat();
  const lines =
    sections.length === 0 ? ['the text differs, and nothing that carriers or routes see'] : sections;
  return [
    ...lines,
    ...(needed.reset ? ['it closes sessions: `causeway apply` needs --yes-reset'] : []),
    ...(needed.withdraw ? ['it announces less: `causeway apply` needs --yes-withdraw'] : []),
  ];
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${heading}:`, ...lines.map((line) => `  ${line}`)];
}

/** `bgp_cmi4 would be reset: hold time 30 → 60`. */
export function sessionLine({ session, kind, reasons }: SessionEffect): string {
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  switch (kind) {
    case 'added':
      return `${session} is added`;
    case 'removed':
      return `${session} is removed, and with it what it announces`;
    case 'reset':
      return `${session} is reset${why}`;
    case 'refresh':
      return `${session} stays up and asks the carrier for its routes again${why}`;
    case 'none':
      return `${session} stays as it is${why}`;
    default:
      return unreachable(kind);
  }
}

/** `203.0.113.0/24 on bgp_cmi4: MED 100 → 50`. */
export function prefixLine({ session, prefix, kind, changes }: PrefixEffect): string {
  switch (kind) {
    case 'starts':
      return `${prefix} on ${session} starts being announced`;
    case 'stops':
      return `${prefix} on ${session} stops being announced`;
    case 'changes':
      return `${prefix} on ${session}: ${changes.join('; ')}`;
    default:
      return unreachable(kind);
  }
}
