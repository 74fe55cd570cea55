/**
 * Rules at the priorities that Causeway's plan uses and that the plan does not ask for: of an uplink, a source or a prefix
 * that the config has no longer. They send packets into tables that nobody fills.
 */
import type { NodeConfig } from '../types/config.ts';
import { families, type Family } from '../types/units.ts';
import { IpError, ipJson, systemIp, type IpCommand } from './ip-command.ts';
import { isRecord } from '../types/is-record.ts';
import { firstAnswerPriority, firstPriority, routingPlan, type Rule } from './routing.ts';
import { hasRule } from './rule-match.ts';

export interface LeftoverRule {
  readonly family: Family;
  readonly priority: number;
  /** `from 203.0.113.0/24 lookup 2003` */
  readonly text: string;
  /** The command that removes it. */
  readonly mend: string;
}

/** Room for 500 uplinks, and for answers up to the next round number; `main` is 32766. */
const ranges = [
  [firstPriority, firstPriority + 999],
  [firstAnswerPriority, firstAnswerPriority + 9999],
] as const;

/** All of them, by family and priority. Throws IpError where the kernel cannot be asked. */
export async function leftoverRules(
  config: NodeConfig,
  ip: IpCommand = systemIp,
): Promise<readonly LeftoverRule[]> {
  const { rules } = routingPlan(config);
  const perFamily = await Promise.all(
    families.map(async (family) => {
      const shown = await ipJson(ip, [`-${family}`, 'rule', 'show']);
      return leftIn(
        shown,
        family,
        rules.filter((rule) => rule.family === family),
      );
    }),
  );
  return perFamily.flat();
}

/** Of the value of `ip -j rule show`. */
export function leftIn(shown: unknown, family: Family, wanted: readonly Rule[]): readonly LeftoverRule[] {
  if (!Array.isArray(shown)) throw new IpError('bad-output', 'ip rule printed no list');
  return shown.flatMap((entry: unknown): readonly LeftoverRule[] => {
    if (!isRecord(entry)) return [];
    const priority = entry['priority'];
    if (typeof priority !== 'number' || !isOurs(priority)) return [];
    if (wanted.some((rule) => hasRule([entry], rule))) return [];
    const text = `${selectorOf(entry)} lookup ${String(entry['table'])}`;
    return [{ family, priority, text, mend: `ip -${family} rule del pref ${priority} ${text}` }];
  });
}

function isOurs(priority: number): boolean {
  return ranges.some(([first, last]) => priority >= first && priority <= last);
}

/** A prefix stands in two members, and a whole address in the first alone. */
function selectorOf(entry: Readonly<Record<string, unknown>>): string {
  const { src, srclen, dst, dstlen, oif, iif } = entry;
  const part = (name: string, value: unknown, length: unknown): string =>
    typeof value !== 'string' || value === 'all'
      ? ''
      : `${name} ${value}${typeof length === 'number' ? `/${length}` : ''}`;
  const parts = [
    part('from', src, srclen),
    part('to', dst, dstlen),
    part('iif', iif, null),
    part('oif', oif, null),
  ];
  const said = parts.filter((one) => one !== '').join(' ');
  return said === '' ? 'from all' : said;
}
