/**
 * Whether new databases may take the place of the present ones. Everything that may be wrong with a download is a sentence;
 * a database that is right may still move too many users, and then a person has to say yes. Runs in a process of its own
 * (judge-child.ts), since a broken file can cost any time and memory.
 */
import ipaddr from 'ipaddr.js';
import { type Address, formatAddress, parseAddress } from '../address.ts';
import { clientOf, matches } from '../decision/decide.ts';
import { geoLookup, type GeoLookup, type Mmdb } from '../mmdb/geo.ts';
import { addressesOfRecords } from '../mmdb/walk.ts';
import type { Networks } from '../networks/load.ts';
import type { Rules } from '../rules/model.ts';

export interface Pair {
  readonly asn: Mmdb;
  readonly country: Mmdb;
}

export interface JudgeBounds {
  readonly maxAgeMillis: number;
  /** Nodes of the new tree by those of the present one. */
  readonly leastSize: number;
  readonly mostChanged: number;
  readonly sample: number;
  readonly canaries: readonly {
    readonly ip: string;
    readonly asn?: number | undefined;
    readonly country?: string | undefined;
  }[];
}

export interface Judgement {
  /** What is wrong; one sentence each. Empty: they may be used, unless `changed` is too much. */
  readonly problems: readonly string[];
  /** Share of the sampled users whom some policy's rules would treat otherwise, 0…1. */
  readonly changed: number;
  readonly tooMuchChanged: boolean;
  readonly sampled: number;
  /** Users to ask the sites about: most of them such that old and new databases answer differently. */
  readonly canaries: readonly string[];
}

const futureMillis = 86_400_000;
const mostCanaries = 30;

/** `nowMillis`: wall time. */
export function judge(
  present: Pair,
  fresh: Pair,
  rules: Rules,
  networks: Networks,
  bounds: JudgeBounds,
  nowMillis: number,
): Judgement {
  const problems = [
    ...fileProblems(present.asn, fresh.asn, bounds, nowMillis),
    ...fileProblems(present.country, fresh.country, bounds, nowMillis),
    ...canaryProblems(geoLookup(fresh.asn, fresh.country), bounds),
  ];
  const before = geoLookup(present.asn, present.country);
  const after = geoLookup(fresh.asn, fresh.country);
  const users = sampleOf([...addressesIn(fresh), ...addressesIn(present)], bounds.sample);
  const changed = users.filter(
    (user) => rulesOf(rules, networks, user, before) !== rulesOf(rules, networks, user, after),
  );
  const share = users.length === 0 ? 1 : changed.length / users.length;
  return {
    problems,
    changed: share,
    tooMuchChanged: share > bounds.mostChanged,
    sampled: users.length,
    canaries: canariesOf(users, before, after),
  };
}

function fileProblems(present: Mmdb, fresh: Mmdb, bounds: JudgeBounds, nowMillis: number): readonly string[] {
  const built = fresh.builtAt.getTime();
  const days = (millis: number): string => `${(millis / 86_400_000).toFixed(0)} days`;
  const problems: string[] = [];
  if (fresh.type !== present.type)
    problems.push(
      `${fresh.path} is of type ${fresh.type}, the present one of ${present.type}; fetch the same product, or put it in by hand`,
    );
  if (built < present.builtAt.getTime())
    problems.push(
      `${fresh.path} was built at ${fresh.builtAt.toISOString()}, before the present one (${present.builtAt.toISOString()})`,
    );
  if (built > nowMillis + futureMillis)
    problems.push(`${fresh.path} says that it was built in the future (${fresh.builtAt.toISOString()})`);
  if (nowMillis - built > bounds.maxAgeMillis)
    problems.push(
      `${fresh.path} is ${days(nowMillis - built)} old, at most ${days(bounds.maxAgeMillis)} are allowed`,
    );
  if (fresh.nodes < present.nodes * bounds.leastSize)
    problems.push(
      `${fresh.path} has ${fresh.nodes} nodes, the present one ${present.nodes}: less than ${(100 * bounds.leastSize).toFixed(0)} % of it`,
    );
  return problems;
}

function canaryProblems(lookup: GeoLookup, bounds: JudgeBounds): readonly string[] {
  return bounds.canaries.flatMap(({ ip, asn, country }) => {
    const address = parseAddress(ip);
    if (address === undefined) return [];
    const facts = lookup(address);
    const wrong =
      (asn !== undefined && facts.asn !== asn) || (country !== undefined && facts.country !== country);
    if (!wrong) return [];
    const expected = [asn === undefined ? [] : [`AS${asn}`], country ?? []].flat().join(' ');
    return [`${ip} is AS${facts.asn ?? '?'} ${facts.country ?? '?'} in the new databases, not ${expected}`];
  });
}

function* addressesIn({ asn, country }: Pair): Generator<string> {
  yield* addressesOfRecords(asn.file, asn.reader);
  yield* addressesOfRecords(country.file, country.reader);
}

/** Spread evenly, and the same for the same files. */
function sampleOf(texts: readonly string[], count: number): readonly Address[] {
  const all = [...new Set(texts)].map(parseAddress).filter((one): one is Address => one !== undefined);
  const step = Math.max(1, all.length / count);
  const picked: Address[] = [];
  for (let at = 0; at < all.length && picked.length < count; at += step) {
    const one = all[Math.floor(at)];
    if (one !== undefined) picked.push(one);
  }
  return picked;
}

/** Numbers of the rules that each policy would use, as text. */
function rulesOf(rules: Rules, networks: Networks, user: Address, lookup: GeoLookup): string {
  const client = clientOf(networks, user, lookup(user));
  return [...rules.policies.values()]
    .map((policy) => policy.rules.find(({ when }) => matches(when, client))?.number ?? 0)
    .join();
}

/** PowerDNS may see others' addresses otherwise than we do. */
function isPublic(user: Address): boolean {
  return ipaddr.parse(formatAddress(user)).range() === 'unicast';
}

function canariesOf(users: readonly Address[], before: GeoLookup, after: GeoLookup): readonly string[] {
  const text = (lookup: GeoLookup, user: Address): string => {
    const { asn, country, continent } = lookup(user);
    return `${asn} ${country} ${continent}`;
  };
  const told = users.filter(isPublic).filter((user) => text(before, user) !== text(after, user));
  const step = Math.max(1, Math.floor(users.length / 10));
  const spread = users.filter((user, index) => index % step === 0 && isPublic(user));
  const picked = [...told.slice(0, mostCanaries - 10), ...spread].slice(0, mostCanaries);
  return [...new Set(picked.map(formatAddress))];
}
