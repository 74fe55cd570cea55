/** Whether what `ip -j rule show` prints is a rule of the plan. */
import { unreachable } from '../types/unreachable.ts';
import { IpError } from './ip-command.ts';
import { isRecord } from '../types/is-record.ts';
import type { Rule, RuleMatch } from './routing.ts';

/** `rules` is the value of `ip -j rule show`. Throws IpError where it is of another shape. */
export function hasRule(rules: unknown, wanted: Rule): boolean {
  if (!Array.isArray(rules)) throw new IpError('bad-output', 'ip rule printed no list');
  return rules.some((entry: unknown) => {
    if (!isRecord(entry) || entry['priority'] !== wanted.priority) return false;
    if (entry['table'] !== String(wanted.table)) return false;
    return matches(entry, wanted.match);
  });
}

/** A prefix stands in two members, and a whole address in the first alone. */
function matches(entry: Readonly<Record<string, unknown>>, match: RuleMatch): boolean {
  switch (match.kind) {
    case 'from':
      return entry['src'] === match.source && entry['srclen'] === undefined;
    case 'from-prefix': {
      const host = match.prefix.includes(':') ? '/128' : '/32';
      const wanted = match.prefix.endsWith(host) ? match.prefix.slice(0, -host.length) : match.prefix;
      const length = typeof entry['srclen'] === 'number' ? `/${entry['srclen']}` : '';
      return `${String(entry['src'])}${length}` === wanted;
    }
    case 'oif':
      return entry['oif'] === match.interface;
    default:
      return unreachable(match);
  }
}
