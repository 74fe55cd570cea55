/** What a schema cannot see in `rules.yaml`: names that do not exist, things that never act, answers that run dry. */
import ipaddr from 'ipaddr.js';
import type { Networks } from '../networks/load.ts';
import type { Problem } from '../yaml-file.ts';
import { matchesGlob } from './glob.ts';
import type { RuleEntry, RulesFile } from './schema.ts';
import { shadowedRules } from './shadow.ts';

type Path = readonly PropertyKey[];

export function lintRules(file: RulesFile, networks: Networks): readonly Problem[] {
  return [
    ...lintTargets(file),
    ...lintPools(file),
    ...Object.entries(file.policies).flatMap(([name, policy]) =>
      lintPolicy(['policies', name], policy, file, networks),
    ),
    ...Object.entries(file.policies).flatMap(([name, policy]) =>
      shadowedRules(['policies', name, 'rules'], policy.rules, file.regions),
    ),
    ...lintNames(file),
    ...lintUnused(file),
  ];
}

function lintTargets(file: RulesFile): readonly Problem[] {
  const problems: Problem[] = [];
  const owners = new Map<string, string>();
  for (const [name, target] of Object.entries(file.targets)) {
    if (target.v4 === undefined && target.v6 === undefined)
      problems.push({ path: ['targets', name], text: 'has no address; give it v4 or v6' });
    for (const key of ['v4', 'v6'] as const) {
      (target[key] ?? []).forEach((text, index) => {
        const canonical = ipaddr.parse(text).toString();
        const owner = owners.get(canonical);
        owners.set(canonical, name);
        if (owner !== undefined)
          problems.push({
            path: ['targets', name, key, index],
            text: `${canonical} already stands at ${owner}; removing one of them would leave it in the answers`,
          });
      });
    }
  }
  return problems;
}

function lintPools(file: RulesFile): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [name, pool] of Object.entries(file.pools)) {
    const members = Object.keys(file.targets).filter((target) =>
      pool.targets.some((glob) => matchesGlob(glob, target)),
    );
    pool.targets.forEach((glob, index) => {
      if (!members.some((target) => matchesGlob(glob, target)))
        problems.push({ path: ['pools', name, 'targets', index], text: `no target is called "${glob}"` });
    });
    if (members.length > 0 && members.every((target) => file.targets[target]?.v4 === undefined))
      problems.push({
        path: ['pools', name],
        text: 'has no IPv4 address, so most users would get nothing from it',
      });
    if (members.length > 0 && members.length < pool.min_healthy)
      problems.push({
        path: ['pools', name, 'min_healthy'],
        text: `asks for ${pool.min_healthy} healthy targets, but the pool has ${members.length}, so it would never be used`,
      });
    if (pool.pick === 'weighted' && members.every((target) => file.targets[target]?.weight === 0))
      problems.push({
        path: ['pools', name, 'pick'],
        text: 'is weighted, but all its targets have weight 0',
      });
  }
  return problems;
}

function lintPolicy(
  path: Path,
  policy: RulesFile['policies'][string],
  file: RulesFile,
  networks: Networks,
): readonly Problem[] {
  const pools = [
    ...policy.default.map((pool, index) => ({ pool, path: [...path, 'default', index] })),
    ...Object.entries(policy.carrier_pools ?? {}).map(([carrier, pool]) => ({
      pool,
      path: [...path, 'carrier_pools', carrier],
    })),
    ...policy.rules.flatMap((rule, at) =>
      rule.use.map((pool, index) => ({ pool, path: [...path, 'rules', at, 'use', index] })),
    ),
  ];
  const carriers = new Set([...networks.byName.values()].flatMap((network) => network.carriers));
  return [
    ...pools
      .filter(({ pool }) => !(pool in file.pools))
      .map(({ pool, path: at }) => ({ path: at, text: `no pool is called "${pool}"` })),
    ...Object.keys(policy.carrier_pools ?? {})
      .filter((carrier) => !carriers.has(carrier))
      .map((carrier) => ({
        path: [...path, 'carrier_pools', carrier],
        text: `no access network of networks.yaml prefers a carrier "${carrier}"`,
      })),
    ...policy.rules.flatMap((rule, index) => lintRule([...path, 'rules', index], rule, file, networks)),
  ];
}

function lintRule(path: Path, rule: RuleEntry, file: RulesFile, networks: Networks): readonly Problem[] {
  const { use: _use, note: _note, ...conditions } = rule;
  const problems: Problem[] = [];
  if (Object.values(conditions).every((value) => value === undefined))
    problems.push({ path, text: 'asks nothing, so it would match everybody; that is what `default` is for' });
  rule.networks?.forEach((network, index) => {
    if (!networks.byName.has(network))
      problems.push({
        path: [...path, 'networks', index],
        text: `networks.yaml has no network "${network}"`,
      });
  });
  rule.regions?.forEach((region, index) => {
    if (!(region in file.regions))
      problems.push({ path: [...path, 'regions', index], text: `no region is called "${region}"` });
  });
  return problems;
}

function lintNames(file: RulesFile): readonly Problem[] {
  return Object.entries(file.names)
    .filter(([, policy]) => !(policy in file.policies))
    .map(([name, policy]) => ({ path: ['names', name], text: `no policy is called "${policy}"` }));
}

/** Dormant references are mistakes more often than plans. */
function lintUnused(file: RulesFile): readonly Problem[] {
  const usedPolicies = new Set(Object.values(file.names));
  const policies = Object.values(file.policies);
  const usedPools = new Set([
    ...policies.flatMap((policy) => policy.default),
    ...policies.flatMap((policy) => Object.values(policy.carrier_pools ?? {})),
    ...policies.flatMap((policy) => policy.rules.flatMap((rule) => rule.use)),
  ]);
  const globs = Object.values(file.pools).flatMap((pool) => pool.targets);
  const unused = (section: string, keys: readonly string[], text: string): readonly Problem[] =>
    keys.map((key) => ({ path: [section, key], text }));
  return [
    ...unused(
      'targets',
      Object.keys(file.targets).filter((name) => !globs.some((glob) => matchesGlob(glob, name))),
      'is in no pool',
    ),
    ...unused(
      'pools',
      Object.keys(file.pools).filter((name) => !usedPools.has(name)),
      'is used by no policy',
    ),
    ...unused(
      'policies',
      Object.keys(file.policies).filter((name) => !usedPolicies.has(name)),
      'is used by no name',
    ),
  ];
}
