/**
 * Which access network an address sits on. The same order as in the edge: prefix overrides (longest first), excluded
 * ASNs (unknown), ASN lists. Pure.
 */
import { type Address, contains, formatSubnet } from '../address.ts';
import type { Networks } from './load.ts';

export type Classification =
  | {
      readonly kind: 'known';
      readonly network: string;
      readonly by: 'prefix' | 'asn';
      readonly evidence: string;
    }
  | { readonly kind: 'unknown'; readonly why: 'excluded' | 'unlisted' | 'no-asn' };

/** `asn` is null where the database has none for the address. */
export function classify(networks: Networks, address: Address, asn: number | null): Classification {
  const override = networks.prefixes.find(({ subnet }) => contains(subnet, address));
  if (override !== undefined)
    return {
      kind: 'known',
      network: override.network,
      by: 'prefix',
      evidence: formatSubnet(override.subnet),
    };
  if (asn === null) return { kind: 'unknown', why: 'no-asn' };
  if (networks.excluded.has(asn)) return { kind: 'unknown', why: 'excluded' };
  const network = networks.byAsn.get(asn);
  if (network === undefined) return { kind: 'unknown', why: 'unlisted' };
  return { kind: 'known', network, by: 'asn', evidence: `AS${asn}` };
}
