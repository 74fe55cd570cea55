/** Random rules files that the linter accepts: every mixture of conditions, to be compared on real PowerDNS. */
import type { Networks } from '../../geodns/networks/load.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { labRulesText } from './geodns.ts';

const values = {
  subnets: [
    '36.96.0.0/12',
    '120.192.0.0/10',
    '"2409:8000::/24"',
    '58.176.0.0/14',
    '0.0.0.0/1',
    '"240e::/16"',
    '127.210.2.0/24',
  ],
  networks: ['ct', 'cu', 'cm', 'edu', 'cloud', 'hkt', 'hkbn', 'tmnet', 'telkom', 'vnpt', 'etisalat'],
  asns: ['4134', '4812', '9808', '56040', '3320', '7922', '64500', '36994'],
  countries: ['CN', 'HK', 'TW', 'MY', 'ID', 'VN', 'DE', 'US', 'AE'],
  regions: ['sea', 'gulf'],
  subdivisions: ['CN-GD', 'CN-GX', 'CN-SC', 'CN-BJ'],
  continents: ['AS', 'EU', 'NA', 'AF'],
} as const;
const pools = ['hk-cmi', 'hk-pccw', 'hk-hkbn', 'multi'];

/** The lab's file with `count` random rules in its policy `cdn`; rules that the linter refuses are left out. */
export function randomRules(random: () => number, networks: Networks, count: number): string {
  const kept: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const rule = randomRule(random);
    if (loadRules('rules.yaml', withRules([...kept, rule]), networks).kind === 'loaded') kept.push(rule);
  }
  return withRules(kept);
}

function withRules(rules: readonly string[]): string {
  const [head = '', rest = ''] = labRulesText.split('    rules:\n      - { subnets', 2);
  const tail = rest.slice(rest.indexOf('  static:'));
  // hk-any is weighted, so that its answers would prove less here; it stays in use by the other policy.
  return `${head}    rules:\n${rules.map((rule) => `      - ${rule}\n`).join('')}${tail}`;
}

function randomRule(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] ?? (list[0] as T);
  const some = (list: readonly string[]): string => {
    const chosen = list.filter(() => random() < 0.3);
    return `[${(chosen.length === 0 ? [pick(list)] : chosen).join(', ')}]`;
  };
  const kinds = Object.entries(values).filter(() => random() < 0.28);
  const asked = kinds.length === 0 ? [['countries', values.countries] as const] : kinds;
  const conditions = asked.map(([kind, list]) => `${kind}: ${some(list)}`);
  return `{ ${conditions.join(', ')}, use: [${pick(pools)}] }`;
}
