/** Proposes ASNs for `networks.yaml` from the organisation names of an MMDB; a person reviews and writes them down. */
import { compilePattern, type Networks } from './load.ts';

/** An ASN with the name that a database gives its owner. */
export interface NamedAsn {
  readonly asn: number;
  readonly organisation: string;
}

export interface Proposal extends NamedAsn {
  readonly network: string;
  readonly pattern: string;
}

export interface Proposals {
  /** New, and caught by the patterns of one network alone. */
  readonly add: readonly Proposal[];
  /** Caught by more than one network: a person decides. */
  readonly unclear: readonly (NamedAsn & { readonly networks: readonly string[] })[];
  /** Listed, in the database, but caught by none of its network's patterns: perhaps sold or renamed. */
  readonly check: readonly (NamedAsn & { readonly network: string })[];
  /** Listed and not in the database at all. */
  readonly absent: readonly { readonly asn: number; readonly network: string }[];
}

/** Excluded and already listed ASNs are never proposed. Output in the order of AS numbers. */
export function propose(networks: Networks, named: readonly NamedAsn[]): Proposals {
  const patterns = [...networks.byName].flatMap(([network, { organisations, exclude }]) =>
    organisations.map((pattern) => ({
      network,
      pattern,
      test: compilePattern(pattern),
      exclude: new Set(exclude),
    })),
  );
  const sorted = [...named].sort((a, b) => a.asn - b.asn);
  const add: Proposal[] = [];
  const unclear: (NamedAsn & { networks: string[] })[] = [];
  const check: (NamedAsn & { network: string })[] = [];
  for (const entry of sorted) {
    const hits = patterns.filter(
      ({ test, exclude }) => test?.test(entry.organisation) && !exclude.has(entry.asn),
    );
    const owners = [...new Set(hits.map((hit) => hit.network))];
    const listed = networks.byAsn.get(entry.asn);
    if (listed !== undefined) {
      const own = networks.byName.get(listed)?.organisations.length ?? 0;
      if (own > 0 && !owners.includes(listed)) check.push({ ...entry, network: listed });
    } else if (owners.length > 1) unclear.push({ ...entry, networks: owners });
    else if (hits[0] !== undefined)
      add.push({ ...entry, network: hits[0].network, pattern: hits[0].pattern });
  }
  const present = new Set(sorted.map((entry) => entry.asn));
  const absent = [...networks.byAsn]
    .filter(([asn]) => !present.has(asn))
    .map(([asn, network]) => ({ asn, network }));
  return { add, unclear, check, absent };
}
