/** Whose answers change when other rules or networks come in force. Pure: one user at a time. */
import type { Family } from '../../src/types/units.ts';
import type { Networks } from '../networks/load.ts';
import type { GeoFacts } from '../mmdb/geo.ts';
import type { Address } from '../address.ts';
import type { View } from './availability.ts';
import { clientOf, decide, type Decision } from './decide.ts';

/** Rules and networks as they are, or as they would be. */
export interface Side {
  readonly view: View;
  readonly networks: Networks;
}

export interface MovedUser {
  readonly address: Address;
  readonly facts: GeoFacts;
  readonly share: number;
}

/** Users of one access network, ASN and country whose answer changes from one pool to another. */
export interface MovedGroup {
  readonly asn: number | null;
  readonly network: string | null;
  readonly country: string | null;
  /** `hk-cmi`, or with its level where that is not normal: `multi (fail-open)`; null: no address. */
  readonly from: string | null;
  readonly to: string | null;
  readonly share: number;
}

export interface Moved {
  readonly policy: string;
  readonly family: Family;
  /** Of the users of this family, 0 to 1. */
  readonly share: number;
  /** The largest first, at most ten. */
  readonly largest: readonly MovedGroup[];
}

const mostGroups = 10;

/** Adds up users of one policy and family. `policy` must be in both. */
export class MovedCount {
  private readonly groups = new Map<string, MovedGroup>();
  private sum = 0;
  private readonly before: Side;
  private readonly after: Side;
  private readonly policy: string;
  private readonly family: Family;

  constructor(before: Side, after: Side, policy: string, family: Family) {
    this.before = before;
    this.after = after;
    this.policy = policy;
    this.family = family;
  }

  add({ address, facts, share }: MovedUser): void {
    const from = this.decisionOf(this.before, address, facts);
    const to = this.decisionOf(this.after, address, facts);
    if (from === null || to === null || sameAnswer(from, to)) return;
    this.sum += share;
    const { asn, country } = facts;
    const { classification } = to.client;
    const network = classification.kind === 'known' ? classification.network : null;
    const group = { asn, country, network, from: nameOf(from), to: nameOf(to) };
    const key = JSON.stringify(group);
    this.groups.set(key, { ...group, share: (this.groups.get(key)?.share ?? 0) + share });
  }

  result(): Moved {
    return {
      policy: this.policy,
      family: this.family,
      share: Math.min(1, this.sum),
      largest: [...this.groups.values()].sort((a, b) => b.share - a.share).slice(0, mostGroups),
    };
  }

  private decisionOf({ view, networks }: Side, address: Address, facts: GeoFacts): Decision | null {
    const policy = view.rules.policies.get(this.policy);
    return policy === undefined
      ? null
      : decide(view, policy, clientOf(networks, address, facts), this.family);
  }
}

/** The order of addresses is no difference: resolvers turn it anyway. */
function sameAnswer(a: Decision, b: Decision): boolean {
  return answerKey(a) === answerKey(b);
}

function answerKey({ answer }: Decision): string {
  return answer.kind === 'all'
    ? JSON.stringify([...answer.addresses].sort())
    : JSON.stringify([...answer.choices].map(({ address, weight }) => `${address} ${weight}`).sort());
}

function nameOf({ pool, level }: Decision): string | null {
  if (pool === null) return null;
  return level === 'normal' ? pool : `${pool} (${level})`;
}
