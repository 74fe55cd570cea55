/** Everything that follows from rules and networks, as statements that fill the table `N_…` of a zone. */
import { formatSubnet } from '../address.ts';
import type { Networks } from '../networks/load.ts';
import type { Rules } from '../rules/model.ts';
import { decideLua } from './decide-lua.ts';
import { luaString } from './lua-text.ts';
import { addSubnets, fill, policyStatements } from './policy-tables.ts';

const privateRanges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/128',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** Each is small enough to be packed into records. Throws a RenderError when a token is not plain. */
export function ruleStatements(rules: Rules, networks: Networks, suffix: string): readonly string[] {
  const fresh = `N_${suffix}`;
  const asns = [...networks.byAsn].filter(([asn]) => !networks.excluded.has(asn));
  return [
    ...addSubnets([`${fresh}.V`, `${fresh}.m`], privateRanges),
    ...fill(
      `${fresh}.N`,
      asns.map(([asn, network]) => `[${luaString(String(asn))}]=${luaString(network)}`),
    ),
    ...overrideStatements(fresh, networks),
    ...[...rules.policies.values()].flatMap((policy) =>
      policyStatements(`${fresh}.R[${luaString(policy.name)}]`, policy),
    ),
    decideLua(fresh, `G_${suffix}`),
  ];
}

/** Prefix overrides, the longest first; those of one length and network share a prefix tree. */
function overrideStatements(fresh: string, networks: Networks): readonly string[] {
  const groups = new Map<string, { readonly network: string; readonly subnets: string[] }>();
  for (const { subnet, network } of networks.prefixes) {
    const key = `${subnet.length} ${network}`;
    const group = groups.get(key) ?? { network, subnets: [] };
    groups.set(key, group);
    group.subnets.push(formatSubnet(subnet));
  }
  return [...groups.values()].flatMap(({ network, subnets }, index) => {
    const at = `${fresh}.O[${index + 1}]`;
    return [`${at}={newNMG({}), ${luaString(network)}}`, ...addSubnets([`${at}[1]`, `${fresh}.m`], subnets)];
  });
}
