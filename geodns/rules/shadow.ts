/** Rules that never act, because earlier ones take everything that they ask for. */
import { contains, parseSubnet } from '../address.ts';
import type { Problem } from '../yaml-file.ts';
import type { RuleEntry, RulesFile } from './schema.ts';

const kinds = ['subnets', 'asns', 'networks', 'countries', 'subdivisions', 'continents'] as const;
type Kind = (typeof kinds)[number];
/** One combination of what a rule asks for: at most one value of each kind. */
type Case = Readonly<Partial<Record<Kind, string>>>;

/** A rule with more combinations than this is taken as reachable. */
const mostCases = 20_000;

/** Judges by the rule's own words; it does not know which ASN lies in which country. */
export function shadowedRules(
  path: readonly PropertyKey[],
  rules: readonly RuleEntry[],
  regions: RulesFile['regions'],
): readonly Problem[] {
  const asked = rules.map((rule) => valuesOf(rule, regions));
  return rules.flatMap((_rule, index) => {
    const cases = casesOf(asked[index] ?? new Map());
    if (cases.length === 0 || cases.length > mostCases) return [];
    const takers = new Set<number>();
    for (const one of cases) {
      const taker = asked.slice(0, index).findIndex((earlier) => earlier.size > 0 && takes(earlier, one));
      if (taker === -1) return [];
      takers.add(taker + 1);
    }
    const by = takers.size === 1 ? `rule ${[...takers][0]}` : `rules ${[...takers].join(', ')}`;
    return [{ path: [...path, index], text: `never acts: ${by} before it matches all of its users` }];
  });
}

function valuesOf(rule: RuleEntry, regions: RulesFile['regions']): ReadonlyMap<Kind, readonly string[]> {
  const countries = [
    ...(rule.countries ?? []),
    ...(rule.regions ?? []).flatMap((region) => regions[region] ?? []),
  ];
  const lists: Record<Kind, readonly string[]> = {
    subnets: rule.subnets ?? [],
    asns: (rule.asns ?? []).map(String),
    networks: rule.networks ?? [],
    countries,
    subdivisions: rule.subdivisions ?? [],
    continents: rule.continents ?? [],
  };
  return new Map(kinds.filter((kind) => lists[kind].length > 0).map((kind) => [kind, lists[kind]]));
}

function casesOf(values: ReadonlyMap<Kind, readonly string[]>): readonly Case[] {
  if (values.size === 0) return [];
  let cases: readonly Case[] = [{}];
  for (const [kind, list] of values) {
    if (cases.length * list.length > mostCases) return [];
    cases = cases.flatMap((one) => list.map((value) => Object.assign({}, one, { [kind]: value })));
  }
  return cases;
}

function takes(earlier: ReadonlyMap<Kind, readonly string[]>, one: Case): boolean {
  return [...earlier].every(([kind, list]) => {
    if (kind === 'countries') {
      const country = one.countries ?? one.subdivisions?.slice(0, 2);
      return country !== undefined && list.includes(country);
    }
    const value = one[kind];
    if (value === undefined) return false;
    return kind === 'subnets' ? list.some((wide) => covers(wide, value)) : list.includes(value);
  });
}

function covers(wide: string, narrow: string): boolean {
  const [outer, inner] = [parseSubnet(wide), parseSubnet(narrow)];
  return outer !== undefined && inner !== undefined && outer.length <= inner.length && contains(outer, inner);
}
