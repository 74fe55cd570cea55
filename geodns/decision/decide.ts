/** Who is answered with what, and why: the one decision that DNS, the API and people see. Pure. */
import type { Family } from '../../src/types/units.ts';
import { type Address, contains, formatSubnet } from '../address.ts';
import type { GeoFacts } from '../mmdb/geo.ts';
import { type Classification, classify } from '../networks/classify.ts';
import type { Networks } from '../networks/load.ts';
import type { Conditions, Policy, Rule } from '../rules/model.ts';
import { acts, entryOf, type SteeredRule, steeredPools } from '../steering/entry.ts';
import type { View } from './availability.ts';
import { choose, type Chosen } from './choose.ts';

/** A user, as far as the databases and networks.yaml know. */
export interface Client {
  readonly address: Address;
  readonly facts: GeoFacts;
  readonly classification: Classification;
}

export interface Decision extends Chosen {
  readonly policy: string;
  /** null: the default. */
  readonly rule: { readonly number: number; readonly note: string | null } | null;
  readonly client: Client;
  /** In the order of the thought: who the user is, which rule, which pool, which targets were left out. */
  readonly why: readonly string[];
}

export function clientOf(networks: Networks, address: Address, facts: GeoFacts): Client {
  return { address, facts, classification: classify(networks, address, facts.asn) };
}

export function decide(view: View, policy: Policy, client: Client, family: Family): Decision {
  const rule = policy.rules.find(({ when }) => matches(when, client)) ?? null;
  const { steering } = view.state;
  const order = [...steeredPools(steering, view.nowMillis, policy, rule), ...policy.otherwise];
  const entry = entryOf(steering, policy, rule);
  const { country } = client.facts;
  const chosen = choose(view, order, { family, country, service: policy.service });
  return {
    ...chosen,
    policy: policy.name,
    rule: rule === null ? null : { number: rule.number, note: rule.note },
    client,
    why: explain(client, rule, chosen, acts(entry, view.nowMillis) ? entry : null),
  };
}

/** Every kind that the rule asks for must hold; an unknown fact fulfils nothing. */
export function matches(when: Conditions, { address, facts, classification }: Client): boolean {
  const network = classification.kind === 'known' ? classification.network : null;
  return (
    (when.subnets.length === 0 || when.subnets.some((subnet) => contains(subnet, address))) &&
    holds(when.asns, facts.asn) &&
    holds(when.networks, network) &&
    holds(when.countries, facts.country) &&
    holds(when.subdivisions, facts.subdivision) &&
    holds(when.continents, facts.continent)
  );
}

function holds<T>(asked: readonly T[], value: T | null): boolean {
  return asked.length === 0 || (value !== null && asked.includes(value));
}

function explain(
  { facts, classification }: Client,
  rule: Rule | null,
  chosen: Chosen,
  steered: SteeredRule | null,
): readonly string[] {
  const network =
    classification.kind === 'known'
      ? `access network ${classification.network} by ${classification.evidence}`
      : `access network unknown (${classification.why})`;
  const place = [
    facts.subdivision ?? facts.country ?? 'country unknown',
    facts.continent ?? 'continent unknown',
  ];
  const asked = rule === null ? 'no rule matches: the default' : `rule ${rule.number}${asks(rule)}`;
  const left = chosen.seen.filter((one) => one.state !== 'up' || one.by === 'guard');
  return [
    `${network}; AS ${facts.asn ?? 'unknown'}; ${place.join(', ')}`,
    asked,
    ...(steered === null
      ? []
      : [`order ${steered.order.join(', ')} by ${steered.author}: ${steered.reason}`]),
    `${chosen.level}: ${chosen.pool ?? 'no pool has an address of this family'}`,
    // A target of two pools was looked at twice.
    ...new Set(left.map((one) => `${one.target} is ${one.state} (${one.by}: ${one.text})`)),
  ];
}

function asks({ note, when }: Rule): string {
  const parts = [
    ...when.subnets.map(formatSubnet),
    ...when.networks,
    ...when.asns.map((asn) => `AS${asn}`),
    ...when.subdivisions,
    ...when.countries,
    ...when.continents,
  ];
  const shown = parts.length > 8 ? `${parts.slice(0, 8).join(' ')} …` : parts.join(' ');
  return note === null ? ` (${shown})` : ` (${note}: ${shown})`;
}
