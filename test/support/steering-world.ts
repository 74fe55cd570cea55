/** Populations with known best choices, for the controller of measured steering: who is where, how far each carrier is. */
import type { Rules } from '../../geodns/rules/model.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { noNetworks } from '../../geodns/networks/load.ts';
import { Collector } from '../../geodns/steering/collector.ts';
import { entryFor, type Proposal, propose, type SteeringLimits } from '../../geodns/steering/controller.ts';
import { limitsOf, steeringConfig } from '../../geodns/steering/config.ts';
import { type SteeredRule, steeredPools, steeringKey } from '../../geodns/steering/entry.ts';
import type { Segment } from '../../geodns/steering/segment.ts';
import { value } from './geodns.ts';

export const carriers = ['cmi', 'pccw', 'hkbn'] as const;
type Carrier = (typeof carriers)[number];

/** Users of one ASN. */
export interface Group {
  readonly asn: number;
  readonly rule: number;
  /** Of all users. */
  readonly share: number;
  /** Median round trip, ms. */
  readonly rtt: Readonly<Record<Carrier, number>>;
  /** Share of failures. */
  readonly failures: Readonly<Record<Carrier, number>>;
}

export interface Population {
  readonly rules: Rules;
  readonly groups: readonly Group[];
}

export type Random = () => number;

/** Mulberry32: the same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Of mean 0 and deviation 1. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** `count` rules of one to three ASNs each; whatever the file puts first is as good as chance. `spread`: of the carriers. */
export function populationOf(random: Random, count: number, spread = 0.35): Population {
  const sizes = Array.from({ length: count }, () => 0.5 + random());
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const groups: Group[] = [];
  const lines: string[] = [];
  for (let rule = 1; rule <= count; rule += 1) {
    const asns = Array.from(
      { length: 1 + Math.floor(random() * 3) },
      (_, index) => 64_512 + rule * 4 + index,
    );
    const quality = carriers.map(() => Math.exp(spread * normal(random)));
    for (const asn of asns) {
      const base = 30 + 120 * random();
      const [cmi = 1, pccw = 1, hkbn = 1] = quality.map(
        (one) => base * one * Math.exp(0.05 * normal(random)),
      );
      const share = (sizes[rule - 1] ?? 0) / whole / asns.length;
      groups.push({
        asn,
        rule,
        share,
        rtt: { cmi, pccw, hkbn },
        failures: { cmi: 0.005, pccw: 0.005, hkbn: 0.005 },
      });
    }
    const order = [...carriers].sort(() => random() - 0.5);
    lines.push(`      - { asns: [${asns.join(', ')}], use: [${order.join(', ')}] }`);
  }
  return { rules: rulesWith(lines), groups };
}

/** The lab's three carriers on one node. `pools`: more of them. */
export function rulesWith(lines: readonly string[], pools: readonly string[] = []): Rules {
  const text = [
    'version: 1',
    'zone: geo.test',
    'nameservers: [ns1.geo.test]',
    'hostmaster: hostmaster.geo.test',
    'targets:',
    '  hk1/cmi: { v4: [203.0.113.11] }',
    '  hk1/pccw: { v4: [203.0.113.21] }',
    '  hk1/hkbn: { v4: [203.0.113.31] }',
    'pools:',
    ...carriers.map((carrier) => `  ${carrier}: { targets: ["*/${carrier}"] }`),
    ...pools,
    'policies:',
    '  cdn:',
    '    default: [cmi, pccw, hkbn]',
    '    rules:',
    ...lines,
    'names: { www: cdn }',
  ];
  return value(loadRules('rules.yaml', text.join('\n'), noNetworks));
}

export const defaults: SteeringLimits = {
  ...limitsOf(steeringConfig.parse({})),
  mode: 'live',
  totalShare: 1,
};

export interface Move extends Proposal {
  readonly atMillis: number;
}

export interface Plan {
  readonly hours: number;
  /** Beacons in ten minutes. */
  readonly beacons: number;
  readonly limits?: SteeringLimits;
  /** Share of beacons that say the opposite of what is. */
  readonly poison?: number;
  /** Of whom the liars speak; else of anybody. */
  readonly aim?: (group: Group) => boolean;
  /** How much slower a carrier is with all users on it than with none, as a factor. */
  readonly congestion?: number;
  /** Changes of the world: called before each ten minutes. */
  readonly before?: (step: number) => readonly Group[] | null;
}

/** What was gained of what could be, 0…1. */
export function gained(stories: readonly Story[]): number {
  const sum = (of: (story: Story) => number): number => stories.reduce((all, story) => all + of(story), 0);
  return sum(({ first, last }) => first - last) / sum(({ first, best }) => first - best);
}

export interface Story {
  /** Mean median of all users, ms: at first, in the end, and if each rule had its best pool first. */
  readonly first: number;
  readonly last: number;
  readonly best: number;
  readonly moves: readonly Move[];
  /** Greatest share of users whose first pool is worse than the written one, at any time. */
  readonly worstHarm: number;
  readonly entries: ReadonlyMap<string, SteeredRule>;
}

const stepMillis = 600_000;
const sourcesOfAnAsn = 200;

/** The collector and the controller, as the service runs them, over a simulated time. */
export function live({ rules, groups: first }: Population, plan: Plan, random: Random): Story {
  const limits = plan.limits ?? defaults;
  const collector = new Collector();
  const entries = new Map<string, SteeredRule>();
  const moves: Move[] = [];
  let groups = first;
  let worstHarm = 0;
  const state = (): World => ({ rules, groups, entries, congestion: plan.congestion ?? 0 });
  const start = mean(state(), 0);
  for (let step = 1; step <= plan.hours * 6; step += 1) {
    const nowMillis = step * stepMillis;
    groups = plan.before?.(step) ?? groups;
    const world = state();
    const loads = loadsOf(world, nowMillis);
    for (let count = 0; count < plan.beacons; count += 1)
      beacon(collector, world, loads, { nowMillis, random, poison: plan.poison ?? 0, aim: plan.aim });
    const view = { rules, steering: entries, frozen: false, nowMillis };
    const proposals = propose(view, collector.evidence(nowMillis), limits);
    for (const proposal of proposals.filter(({ held }) => held === null)) {
      const entry = entryFor(view, proposal, 'controller', limits);
      if (entry === null) continue;
      entries.set(steeringKey(entry), entry);
      moves.push({ ...proposal, atMillis: nowMillis });
    }
    worstHarm = Math.max(worstHarm, harm(state(), nowMillis));
  }
  const end = plan.hours * 6 * stepMillis;
  return { first: start, last: mean(state(), end), best: bestOf(state()), moves, worstHarm, entries };
}

interface World {
  readonly rules: Rules;
  readonly groups: readonly Group[];
  readonly entries: ReadonlyMap<string, SteeredRule>;
  readonly congestion: number;
}

/** Which carrier a rule's users are sent to now, or by the file. */
function carrierOf({ rules, entries }: World, rule: number, nowMillis: number, written = false): Carrier {
  const policy = rules.policies.get('cdn');
  const found = policy?.rules[rule - 1] ?? null;
  if (policy === undefined) throw new Error('no policy');
  const pools = steeredPools(written ? new Map() : entries, nowMillis, policy, found);
  const name = pools[0]?.name;
  return carriers.find((carrier) => carrier === name) ?? 'cmi';
}

function loadsOf(world: World, nowMillis: number): Readonly<Record<Carrier, number>> {
  const loads = { cmi: 0, pccw: 0, hkbn: 0 };
  for (const group of world.groups) loads[carrierOf(world, group.rule, nowMillis)] += group.share;
  return loads;
}

interface Telling {
  readonly nowMillis: number;
  readonly random: Random;
  readonly poison: number;
  readonly aim: Plan['aim'];
}

function beacon(
  collector: Collector,
  world: World,
  loads: Readonly<Record<Carrier, number>>,
  { nowMillis, random, poison, aim }: Telling,
): void {
  const lies = random() < poison;
  const group =
    lies && aim !== undefined ? pickAmong(world.groups.filter(aim), random) : pick(world.groups, random);
  const carrier = carriers[Math.floor(random() * carriers.length)] ?? 'cmi';
  const source = `${group.asn}.${Math.floor(random() * sourcesOfAnAsn)}`;
  const usual = group.rtt[carrier] * (1 + world.congestion * loads[carrier]);
  const worst = Math.max(...carriers.map((one) => group.rtt[one]));
  const honest = random() < group.failures[carrier] ? null : usual * Math.exp(0.2 * normal(random));
  // The liar praises the worst carrier and says that the others fail.
  const lie = group.rtt[carrier] === worst ? 1 : null;
  collector.add(
    { segment: segmentOf(group.asn), carrier, rttMillis: lies ? lie : honest, source },
    nowMillis,
  );
}

export function segmentOf(asn: number): Segment {
  return { asn, network: null, country: null, subdivision: null, continent: null };
}

function pick(groups: readonly Group[], random: Random): Group {
  let left = random();
  for (const group of groups) {
    left -= group.share;
    if (left < 0) return group;
  }
  const [first] = groups;
  if (first === undefined) throw new Error('nobody');
  return first;
}

function pickAmong(groups: readonly Group[], random: Random): Group {
  const found = groups[Math.floor(random() * groups.length)];
  if (found === undefined) throw new Error('nobody');
  return found;
}

function mean(world: World, nowMillis: number): number {
  const loads = loadsOf(world, nowMillis);
  return world.groups.reduce((sum, group) => {
    const carrier = carrierOf(world, group.rule, nowMillis);
    return sum + group.share * group.rtt[carrier] * (1 + world.congestion * loads[carrier]);
  }, 0);
}

/** Each rule with the pool that is best for its users together, without congestion. */
function bestOf({ groups }: World): number {
  const byRule = rulesIn(groups);
  return [...byRule.values()].reduce(
    (sum, own) => sum + Math.min(...carriers.map((carrier) => total(own, carrier))),
    0,
  );
}

function rulesIn(groups: readonly Group[]): ReadonlyMap<number, readonly Group[]> {
  const rules = new Map<number, readonly Group[]>();
  for (const group of groups) rules.set(group.rule, [...(rules.get(group.rule) ?? []), group]);
  return rules;
}

function total(groups: readonly Group[], carrier: Carrier): number {
  return groups.reduce((sum, group) => sum + group.share * group.rtt[carrier], 0);
}

/** Users of rules that are sent to a carrier that is worse for them than the written one. */
function harm(world: World, nowMillis: number): number {
  const byRule = rulesIn(world.groups);
  return [...byRule].reduce((sum, [rule, own]) => {
    const now = total(own, carrierOf(world, rule, nowMillis));
    const written = total(own, carrierOf(world, rule, nowMillis, true));
    return now > written ? sum + own.reduce((share, group) => share + group.share, 0) : sum;
  }, 0);
}
