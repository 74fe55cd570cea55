/**
 * What measured steering has changed: for a rule, another order of its own pools. Like an override it has an author, a
 * reason and an end, and it acts only on the rule that it was made for: if the file gives the rule other users or pools,
 * what was measured says nothing about it any more.
 */
import type { Policy, Pool, Rule } from '../rules/model.ts';

export interface SteeredRule {
  readonly policy: string;
  /** 0: the default. */
  readonly rule: number;
  /** Names of the pools as the file has them, and what the rule asks for, as text. */
  readonly base: readonly string[];
  readonly asked: string;
  /** The order that acts; equal to `base` after it was taken back. */
  readonly order: readonly string[];
  readonly atMillis: number;
  /** The written order acts again after this. */
  readonly untilMillis: number;
  /** Share of the policy's users who were moved, 0…1. */
  readonly share: number;
  /** `controller`, or the operator. */
  readonly author: string;
  readonly reason: string;
  /** The controller leaves the rule alone until then; 0: it may act. */
  readonly blockedUntilMillis: number;
  /** First pools that were left, and when: none is taken again at once. */
  readonly left: readonly { readonly pool: string; readonly atMillis: number }[];
}

export type Steering = ReadonlyMap<string, SteeredRule>;

export function steeringKey({ policy, rule }: Pick<SteeredRule, 'policy' | 'rule'>): string {
  return `${policy} ${rule}`;
}

/** Pools of a rule as the file has them; of the default where it is null. */
export function writtenPools(policy: Policy, rule: Rule | null): readonly Pool[] {
  return rule?.use ?? policy.otherwise;
}

/** What a rule asks for, as text: equal for rules with equal users. */
export function askedOf(rule: Rule | null): string {
  return JSON.stringify(rule?.when ?? null, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** The entry that was made for this rule as it is; undefined: none, or of a rule that was another. */
export function entryOf(steering: Steering, policy: Policy, rule: Rule | null): SteeredRule | undefined {
  const entry = steering.get(steeringKey({ policy: policy.name, rule: rule?.number ?? 0 }));
  if (entry === undefined) return undefined;
  const base = writtenPools(policy, rule).map(({ name }) => name);
  return base.join() === entry.base.join() && askedOf(rule) === entry.asked ? entry : undefined;
}

/** Pools of a rule in the order that acts now; the policy's default, as written, follows those of a rule elsewhere. */
export function steeredPools(
  steering: Steering,
  nowMillis: number,
  policy: Policy,
  rule: Rule | null,
): readonly Pool[] {
  const written = writtenPools(policy, rule);
  const entry = steering.size === 0 ? undefined : entryOf(steering, policy, rule);
  if (entry === undefined || entry.untilMillis <= nowMillis) return written;
  const placed = entry.order.map((name) => written.find((pool) => pool.name === name));
  return placed.filter((pool): pool is Pool => pool !== undefined);
}

/** Whether the entry changes anything now. */
export function acts(entry: SteeredRule | undefined, nowMillis: number): entry is SteeredRule {
  return entry !== undefined && entry.untilMillis > nowMillis && entry.order.join() !== entry.base.join();
}

/** For the event log. */
export function steeringText({ policy, rule, base, order, author, reason }: SteeredRule): string {
  const back = order.join() === base.join() ? 'as written' : order.join(', ');
  return `${author}: ${policy} rule ${rule}: ${back}: ${reason}`;
}
