/** The rules after loading: names resolved, globs expanded, units in their names. Everything readonly and total. */
import type { Family, PerFamily, Ratio } from '../../src/types/units.ts';
import type { Subnet } from '../address.ts';

/** A node's uplink as users reach it: what a removal takes out of the answers. */
export interface Target {
  /** `hk1/cmi`: node and uplink. */
  readonly name: string;
  readonly node: string;
  readonly uplink: string;
  readonly carrier: string;
  /** Canonical addresses, at least one in one family. */
  readonly addresses: PerFamily<readonly string[]>;
  /** Share among the targets of a weighted pool; 0 takes part in nothing but the last resort. */
  readonly weight: number;
}

export interface Pool {
  readonly name: string;
  readonly targets: readonly Target[];
  /** Fewer targets up than this and the next pool of the fallback order is asked. */
  readonly minHealthy: number;
  /** all: every address; weighted: one, by the client's address. */
  readonly pick: 'all' | 'weighted';
}

/** Lists are alternatives, kinds are joined: (one of the networks) and (one of the countries). Empty: not asked. */
export interface Conditions {
  readonly subnets: readonly Subnet[];
  readonly asns: readonly number[];
  readonly networks: readonly string[];
  readonly countries: readonly string[];
  readonly subdivisions: readonly string[];
  readonly continents: readonly string[];
}

export interface Rule {
  /** From 1, in the order of the file; the first that matches wins. */
  readonly number: number;
  readonly when: Conditions;
  /** The fallback order; the policy's default follows it. */
  readonly use: readonly Pool[];
  readonly note: string | null;
}

export interface Policy {
  readonly name: string;
  /** The service whose readiness counts here; null: none. */
  readonly service: string | null;
  readonly rules: readonly Rule[];
  /** Never empty. */
  readonly otherwise: readonly Pool[];
}

export interface GuardRules {
  /** Reports within `windowMillis` of each other may remove at most this share of the targets of a family. */
  readonly maxRemoved: Ratio;
  readonly windowMillis: number;
  /** A node that has said nothing for so long raises an alarm; its last state stays. */
  readonly staleAfterMillis: number;
}

export interface Rules {
  /** With the final dot. */
  readonly zone: string;
  readonly nameservers: readonly string[];
  readonly hostmaster: string;
  readonly ttlSeconds: number;
  /** Named groups of countries. */
  readonly regions: ReadonlyMap<string, readonly string[]>;
  readonly targets: ReadonlyMap<string, Target>;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly policies: ReadonlyMap<string, Policy>;
  /** Full name with the final dot → policy. */
  readonly names: ReadonlyMap<string, Policy>;
  readonly guards: GuardRules;
}

/** The targets of the rules that have an address in the family. */
export function targetsOf(rules: Rules, family: Family): readonly Target[] {
  return [...rules.targets.values()].filter((target) => (target.addresses[family] ?? []).length > 0);
}
