/** `rules.yaml` → Rules. The text and the access networks come in; the caller reads the files. */
import ipaddr from 'ipaddr.js';
import { ratio } from '../../src/types/units.ts';
import { parseSubnet, type Subnet } from '../address.ts';
import type { Networks } from '../networks/load.ts';
import { type Loaded, readYaml } from '../yaml-file.ts';
import { matchesGlob } from './glob.ts';
import { lintRules } from './lint.ts';
import type { Conditions, Policy, Pool, Rule, Rules, Target } from './model.ts';
import { type RuleEntry, type RulesFile, rulesFile } from './schema.ts';

export function loadRules(file: string, text: string, networks: Networks): Loaded<Rules> {
  const loaded = readYaml(file, text, rulesFile, (value) => lintRules(value, networks));
  return loaded.kind === 'loaded' ? { kind: 'loaded', value: buildRules(loaded.value, networks) } : loaded;
}

function buildRules(file: RulesFile, networks: Networks): Rules {
  const zone = dotted(file.zone);
  const targets = new Map(
    Object.entries(file.targets).map(([name, entry]) => [name, buildTarget(name, entry)]),
  );
  const pools = new Map(
    Object.entries(file.pools).map(([name, entry]) => [name, buildPool(name, entry, [...targets.values()])]),
  );
  const policies = new Map(
    Object.entries(file.policies).map(([name, entry]) => [
      name,
      buildPolicy(name, entry, pools, file.regions, networks),
    ]),
  );
  return {
    zone,
    nameservers: file.nameservers.map(dotted),
    hostmaster: dotted(file.hostmaster),
    ttlSeconds: Math.ceil(file.ttl / 1000),
    regions: new Map(Object.entries(file.regions)),
    targets,
    pools,
    policies,
    names: new Map(
      Object.entries(file.names).flatMap(([label, policy]): [string, Policy][] => {
        const found = policies.get(policy);
        return found === undefined ? [] : [[label === '@' ? zone : `${label}.${zone}`, found]];
      }),
    ),
    guards: {
      maxRemoved: ratio(file.guards.max_removed),
      windowMillis: file.guards.window,
      staleAfterMillis: file.guards.stale_after,
    },
  };
}

function dotted(name: string): string {
  return name.endsWith('.') ? name : `${name}.`;
}

function buildTarget(name: string, entry: RulesFile['targets'][string]): Target {
  const [node = '', uplink = ''] = name.split('/');
  const canonical = (list: readonly string[]): readonly string[] =>
    list.map((text) => ipaddr.parse(text).toString());
  return {
    name,
    node,
    uplink,
    carrier: entry.carrier ?? uplink,
    addresses: {
      ...(entry.v4 === undefined ? {} : { 4: canonical(entry.v4) }),
      ...(entry.v6 === undefined ? {} : { 6: canonical(entry.v6) }),
    },
    weight: entry.weight,
  };
}

function buildPool(name: string, entry: RulesFile['pools'][string], targets: readonly Target[]): Pool {
  return {
    name,
    targets: targets.filter((target) => entry.targets.some((glob) => matchesGlob(glob, target.name))),
    minHealthy: entry.min_healthy,
    pick: entry.pick,
  };
}

function buildPolicy(
  name: string,
  entry: RulesFile['policies'][string],
  pools: ReadonlyMap<string, Pool>,
  regions: RulesFile['regions'],
  networks: Networks,
): Policy {
  const named = (list: readonly string[]): readonly Pool[] =>
    list.map((pool) => pools.get(pool)).filter((pool): pool is Pool => pool !== undefined);
  const written = entry.rules.map((rule) => ({
    when: conditionsOf(rule, regions),
    use: named(rule.use),
    note: rule.note ?? null,
  }));
  const byCarrier = carrierRules(entry.carrier_pools ?? {}, networks, named);
  const rules: readonly Rule[] = [...written, ...byCarrier].map((rule, index) =>
    Object.assign({ number: index + 1 }, rule),
  );
  return { name, service: entry.service ?? null, rules, otherwise: named(entry.default) };
}

/** Behind the written rules: users of an access network by the carriers that it prefers. Hosting is never steered so. */
function carrierRules(
  carrierPools: Readonly<Record<string, string>>,
  networks: Networks,
  named: (list: readonly string[]) => readonly Pool[],
): readonly Omit<Rule, 'number'>[] {
  return [...networks.byName].flatMap(([network, { kind, carriers }]) => {
    const use = named(carriers.map((carrier) => carrierPools[carrier]).filter((pool) => pool !== undefined));
    if (kind !== 'access' || use.length === 0) return [];
    return [{ when: { ...nothingAsked, networks: [network] }, use, note: `carriers of ${network}` }];
  });
}

const nothingAsked: Conditions = {
  subnets: [],
  asns: [],
  networks: [],
  countries: [],
  subdivisions: [],
  continents: [],
};

function conditionsOf(rule: RuleEntry, regions: RulesFile['regions']): Conditions {
  const grouped = (rule.regions ?? []).flatMap((region) => regions[region] ?? []);
  return {
    subnets: (rule.subnets ?? []).map(parseSubnet).filter((subnet): subnet is Subnet => subnet !== undefined),
    asns: rule.asns ?? [],
    networks: rule.networks ?? [],
    countries: [...new Set([...(rule.countries ?? []), ...grouped])],
    subdivisions: rule.subdivisions ?? [],
    continents: rule.continents ?? [],
  };
}
