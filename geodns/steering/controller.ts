/**
 * The controller of measured steering: which rules should try their pools in another order, and whether that may happen
 * now. Pure: rules, what acts, evidence and time come in, proposals go out; the caller makes them true or not.
 *
 * A rule's pool is put first only if it is better than the present first one beyond doubt (compare.ts): faster by
 * `gainShare` and `gainMillis` and failing no more, or failing clearly less. It may still be held, by the first of:
 *   shadow    the mode only shows
 *   frozen    an operator's freeze, here or in the fleet
 *   blocked   an operator took the controller's hand off this rule
 *   settling  the rule was changed a short time ago: what is measured may still be of before
 *   reversal  its new first pool was left a short time ago: two ways that slow down under load would swap for ever
 *   step      more users would have been moved within an hour than allowed
 *   total     more users would be elsewhere than the file says than allowed
 */
import type { Policy, Rule, Rules } from '../rules/model.ts';
import { countOf } from './histogram.ts';
import type { Evidence } from './collector.ts';
import { compare, type Comparison, type Confidence, type PoolEvidence, poolEvidence } from './compare.ts';
import {
  acts,
  askedOf,
  entryOf,
  type SteeredRule,
  steeredPools,
  type Steering,
  writtenPools,
} from './entry.ts';
import { ruleOf } from './segment.ts';

export interface SteeringLimits extends Confidence {
  readonly mode: 'shadow' | 'live';
  /** Beacons, and /24s or /48s that they came from, of each of the two pools. */
  readonly leastSamples: number;
  readonly leastSources: number;
  /** The median must be shorter by this share of it and by this many ms, for sure. */
  readonly gainShare: number;
  readonly gainMillis: number;
  /** Or the share of failures smaller by this much, for sure. */
  readonly gainFailures: number;
  /** Share of a policy's users who may be moved within an hour, and who may be elsewhere than the file says at all. */
  readonly stepShare: number;
  readonly totalShare: number;
  readonly settleMillis: number;
  readonly reverseMillis: number;
  /** How long a change acts unless evidence goes on saying so. */
  readonly lifeMillis: number;
}

export type HeldBy = 'shadow' | 'frozen' | 'blocked' | 'settling' | 'reversal' | 'step' | 'total';

export interface Proposal {
  readonly policy: string;
  readonly rule: number;
  readonly note: string | null;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Of the policy's users, by their beacons: at most this share. */
  readonly share: number;
  readonly evidence: Comparison;
  readonly reason: string;
  /** null: it may happen now. */
  readonly held: HeldBy | null;
}

export interface SteeringView {
  readonly rules: Rules;
  readonly steering: Steering;
  readonly frozen: boolean;
  readonly nowMillis: number;
}

const hourMillis = 3_600_000;
const leastCovered = 0.5;

/** Of all policies; within one the greatest gain first, as it has the first claim on the step. */
export function propose(
  view: SteeringView,
  evidence: readonly Evidence[],
  limits: SteeringLimits,
): readonly Proposal[] {
  return [...view.rules.policies.values()].flatMap((policy) => {
    const found = rulesOf(policy, evidence).flatMap((measured) => candidate(view, policy, measured, limits));
    const sorted = found.sort((a, b) => worth(b) - worth(a) || a.rule - b.rule);
    return holdBack(view, policy, sorted, limits);
  });
}

interface MeasuredRule {
  readonly rule: Rule | null;
  readonly evidence: readonly Evidence[];
  readonly share: number;
}

function rulesOf(policy: Policy, evidence: readonly Evidence[]): readonly MeasuredRule[] {
  const byRule = new Map<Rule | null, Evidence[]>();
  let all = 0;
  for (const one of evidence) {
    const rule = ruleOf(policy, one.segment);
    const list = byRule.get(rule) ?? [];
    byRule.set(rule, list);
    list.push(one);
    all += countOf(one.histogram);
  }
  return [...byRule].map(([rule, list]) => ({
    rule,
    evidence: list,
    share: list.reduce((sum, { histogram }) => sum + countOf(histogram), 0) / all,
  }));
}

/** At most one: the best of the pools that are better than the first beyond doubt. */
function candidate(
  view: SteeringView,
  policy: Policy,
  { rule, evidence, share }: MeasuredRule,
  limits: SteeringLimits,
): readonly Proposal[] {
  const present = steeredPools(view.steering, view.nowMillis, policy, rule);
  const measured = present.map((pool) => ({
    name: pool.name,
    evidence: poolEvidence(evidence, new Set(pool.targets.map(({ carrier }) => carrier))),
  }));
  const [first, ...others] = measured;
  if (first === undefined) return [];
  const better = others
    .map(({ name, evidence: other }) => ({ name, found: judged(first.evidence, other, limits) }))
    .filter((one): one is { name: string; found: Judged } => one.found !== null)
    .sort((a, b) => b.found.comparison.likelyMillis - a.found.comparison.likelyMillis)[0];
  if (better === undefined) return [];
  const from = present.map(({ name }) => name);
  return [
    {
      policy: policy.name,
      rule: rule?.number ?? 0,
      note: rule?.note ?? null,
      from,
      to: [better.name, ...from.filter((name) => name !== better.name)],
      // Beacons that lie may make a rule look smaller than it is.
      share: Math.min(1, share / (1 - limits.distrust)),
      evidence: better.found.comparison,
      reason: `${better.name} instead of ${first.name}: ${better.found.text}`,
      held: null,
    },
  ];
}

interface Judged {
  readonly comparison: Comparison;
  readonly text: string;
}

function judged(first: PoolEvidence, other: PoolEvidence, limits: SteeringLimits): Judged | null {
  const found = compare(first, other, limits);
  if (found === null || found.covered < leastCovered) return null;
  if (found.samples < limits.leastSamples || found.sources < limits.leastSources) return null;
  const base = `of ${found.samples} beacons from ${found.sources} networks`;
  const needed = Math.max(limits.gainMillis, limits.gainShare * found.presentMillis);
  if (found.surelyMillis >= needed && found.likelyFailures >= -0.01)
    return {
      comparison: found,
      text: `${found.likelyMillis.toFixed(0)} ms faster, ${found.surelyMillis.toFixed(0)} ms for sure, ${base}`,
    };
  const slower = -found.likelyMillis;
  if (found.surelyFailures >= limits.gainFailures && slower <= found.presentMillis / 2)
    return {
      comparison: found,
      text: `${(100 * found.likelyFailures).toFixed(1)} % fewer failures, ${(100 * found.surelyFailures).toFixed(1)} % for sure, ${base}`,
    };
  return null;
}

/** What the users of a rule gain together. */
function worth({ share, evidence }: Proposal): number {
  return share * Math.max(evidence.likelyMillis, 1000 * evidence.likelyFailures);
}

function holdBack(
  view: SteeringView,
  policy: Policy,
  proposals: readonly Proposal[],
  limits: SteeringLimits,
): readonly Proposal[] {
  const own = entriesOf(view, policy);
  let step = own
    .filter(({ entry }) => entry.author === 'controller' && entry.atMillis > view.nowMillis - hourMillis)
    .reduce((sum, { entry }) => sum + entry.share, 0);
  let total = own
    .filter(({ entry }) => acts(entry, view.nowMillis))
    .reduce((sum, { entry }) => sum + entry.share, 0);
  return proposals.map((proposal) => {
    const entry = own.find(({ rule }) => rule === proposal.rule)?.entry;
    const away = acts(entry, view.nowMillis) ? 0 : proposal.share;
    const held =
      heldByRule(view, proposal, entry, limits) ??
      (step + proposal.share > limits.stepShare ? 'step' : null) ??
      (total + away > limits.totalShare ? 'total' : null);
    if (held !== null) return { ...proposal, held };
    step += proposal.share;
    total += away;
    return proposal;
  });
}

function heldByRule(
  { frozen, nowMillis }: SteeringView,
  { to }: Proposal,
  entry: SteeredRule | undefined,
  limits: SteeringLimits,
): HeldBy | null {
  if (limits.mode === 'shadow') return 'shadow';
  if (frozen) return 'frozen';
  if (entry === undefined) return null;
  if (entry.blockedUntilMillis > nowMillis) return 'blocked';
  if (entry.atMillis > nowMillis - limits.settleMillis) return 'settling';
  const back = entry.left.find(({ pool }) => pool === to[0]);
  return back !== undefined && back.atMillis > nowMillis - limits.reverseMillis ? 'reversal' : null;
}

/** Entries that stand for rules as they are. */
function entriesOf(
  view: SteeringView,
  policy: Policy,
): readonly { readonly rule: number; readonly entry: SteeredRule }[] {
  return [null, ...policy.rules].flatMap((rule) => {
    const entry = entryOf(view.steering, policy, rule);
    return entry === undefined ? [] : [{ rule: rule?.number ?? 0, entry }];
  });
}

const mostLeft = 8;

/** The entry that makes a proposal true. `author`: `controller`, or the operator who accepted it. */
export function entryFor(
  view: SteeringView,
  proposal: Pick<Proposal, 'policy' | 'rule' | 'from' | 'to' | 'share' | 'reason'>,
  author: string,
  limits: Pick<SteeringLimits, 'lifeMillis'>,
): SteeredRule | null {
  const policy = view.rules.policies.get(proposal.policy);
  const rule = proposal.rule === 0 ? null : policy?.rules[proposal.rule - 1];
  if (policy === undefined || rule === undefined) return null;
  const before = entryOf(view.steering, policy, rule);
  const left = { pool: proposal.from[0] ?? '', atMillis: view.nowMillis };
  const earlier = (before?.left ?? []).filter(({ pool }) => pool !== left.pool);
  return {
    policy: policy.name,
    rule: proposal.rule,
    base: writtenPools(policy, rule).map(({ name }) => name),
    asked: askedOf(rule),
    order: proposal.to,
    atMillis: view.nowMillis,
    untilMillis: view.nowMillis + limits.lifeMillis,
    share: proposal.share,
    author,
    reason: proposal.reason,
    blockedUntilMillis: 0,
    left: [...earlier, left].slice(-mostLeft),
  };
}

/**
 * Entries of the controller whose end comes near while evidence still says that their pool is no slower than the one that
 * the file puts first: each with a new end. Where evidence has ended, so does the entry.
 */
export function renewals(
  view: SteeringView,
  evidence: readonly Evidence[],
  limits: SteeringLimits,
): readonly SteeredRule[] {
  if (limits.mode === 'shadow' || view.frozen) return [];
  return [...view.rules.policies.values()].flatMap((policy) =>
    rulesOf(policy, evidence).flatMap(({ rule, evidence: own }) => {
      const entry = entryOf(view.steering, policy, rule);
      if (!acts(entry, view.nowMillis) || entry.author !== 'controller') return [];
      if (entry.untilMillis - view.nowMillis > limits.lifeMillis * 0.8) return [];
      const pools = writtenPools(policy, rule);
      const carriersOf = (name: string | undefined): ReadonlySet<string> =>
        new Set(pools.find((pool) => pool.name === name)?.targets.map(({ carrier }) => carrier));
      const found = compare(
        poolEvidence(own, carriersOf(entry.base[0])),
        poolEvidence(own, carriersOf(entry.order[0])),
        limits,
      );
      const enough = found !== null && found.samples >= limits.leastSamples;
      if (!enough || found.likelyMillis < 0) return [];
      return [{ ...entry, untilMillis: view.nowMillis + limits.lifeMillis }];
    }),
  );
}
