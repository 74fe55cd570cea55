/** Who beacons speak of: users that databases and networks.yaml cannot tell apart. No address is in it. */
import type { GeoFacts } from '../mmdb/geo.ts';
import type { Client } from '../decision/decide.ts';
import { matches } from '../decision/decide.ts';
import { classify } from '../networks/classify.ts';
import type { Networks } from '../networks/load.ts';
import type { Policy, Rule } from '../rules/model.ts';

export interface Segment {
  readonly asn: number | null;
  /** Access network; null: unknown. */
  readonly network: string | null;
  readonly country: string | null;
  readonly subdivision: string | null;
  readonly continent: string | null;
}

/** A text that is the same for the same users. */
export function segmentKey({ asn, network, country, subdivision, continent }: Segment): string {
  return [asn ?? '-', network ?? '-', country ?? '-', subdivision ?? '-', continent ?? '-'].join(' ');
}

export function segmentOfClient({ facts, classification }: Client): Segment {
  const network = classification.kind === 'known' ? classification.network : null;
  const { asn, country, subdivision, continent } = facts;
  return { asn, network, country, subdivision, continent };
}

const nowhere = { family: 4, value: 0n } as const;

/** What an edge says of its user, without the address: the network follows from the ASN alone. */
export function segmentOfFacts(
  networks: Networks,
  facts: Pick<GeoFacts, 'asn' | 'country' | 'subdivision' | 'continent'>,
): Segment {
  const found = facts.asn === null ? undefined : classify({ ...networks, prefixes: [] }, nowhere, facts.asn);
  return { ...facts, network: found?.kind === 'known' ? found.network : null };
}

/**
 * The rule that users of a segment fall to; null: the default. Rules that ask for subnets are passed over: a segment has
 * no address, and those rules are for a few known users, not for measured ones.
 */
export function ruleOf(policy: Policy, segment: Segment): Rule | null {
  const { network, ...facts } = segment;
  const client: Client = {
    address: nowhere,
    facts: { ...facts, organisation: null },
    classification:
      network === null
        ? { kind: 'unknown', why: 'unlisted' }
        : { kind: 'known', network, by: 'asn', evidence: 'segment' },
  };
  return policy.rules.find(({ when }) => when.subnets.length === 0 && matches(when, client)) ?? null;
}
