/**
 * A sample of users: who would ask, and how much each counts. Without statistics a network counts by its size (addresses of
 * IPv4, /48s of IPv6); with them an access network's ASN counts by its traffic, and the ASN's networks by their size.
 * A real database has half a million networks, so it is walked in slices, and the heaviest ASNs stand for all.
 */
import { type Address, formatAddress, type Subnet } from '../address.ts';
import type { Family } from '../../src/types/units.ts';
import type { Mmdb } from './geo.ts';
import { networksOf } from './walk.ts';

export interface User {
  readonly address: Address;
  readonly asn: number;
  /** Share of the users of its family, 0 to 1. */
  readonly share: number;
}

export interface UserSample {
  /** databases: by the size of networks; statistics: by what users really asked. */
  readonly by: 'databases' | 'statistics';
  readonly users: Readonly<Record<Family, readonly User[]>>;
}

/** ASN → how much of the traffic is its; any unit. */
export type AsnTraffic = ReadonlyMap<number, number>;

const heaviestAsns = 2000;
const networksOfAnAsn = 8;
/** Networks between two turns of the event loop: about a millisecond. */
const slice = 500;

interface Weighed {
  readonly subnet: Subnet;
  readonly weight: number;
}

/** `always`: ASNs that are in it however light they are, since rules speak of them. */
export async function sampleUsers(mmdb: Mmdb, always: ReadonlySet<number>): Promise<UserSample> {
  const asns = asnsOf(mmdb);
  const weights: Record<Family, Map<number, number>> = { 4: new Map(), 6: new Map() };
  await inSlices(mmdb, ({ subnet, record }) => {
    const asn = asns(subnet, record);
    if (asn === null) return;
    const sums = weights[subnet.family];
    sums.set(asn, (sums.get(asn) ?? 0) + weightOf(subnet));
  });
  const chosen = { 4: heaviest(weights[4], always), 6: heaviest(weights[6], always) };
  const networks: Record<Family, Map<number, readonly Weighed[]>> = { 4: new Map(), 6: new Map() };
  await inSlices(mmdb, ({ subnet, record }) => {
    const asn = asns(subnet, record);
    if (asn === null || !chosen[subnet.family].has(asn)) return;
    const known = networks[subnet.family].get(asn) ?? [];
    networks[subnet.family].set(asn, withOne(known, { subnet, weight: weightOf(subnet) }));
  });
  return {
    by: 'databases',
    users: { 4: usersOf(networks[4], weights[4]), 6: usersOf(networks[6], weights[6]) },
  };
}

/** The same users, counted by the traffic of their ASNs. null: the sample has none of these ASNs. */
export function byTraffic(sample: UserSample, traffic: AsnTraffic): UserSample | null {
  const users = { 4: reweigh(sample.users[4], traffic), 6: reweigh(sample.users[6], traffic) };
  return users[4].length + users[6].length === 0 ? null : { by: 'statistics', users };
}

function reweigh(users: readonly User[], traffic: AsnTraffic): readonly User[] {
  const sizes = new Map<number, number>();
  for (const { asn, share } of users) sizes.set(asn, (sizes.get(asn) ?? 0) + share);
  const seen = users.filter(({ asn }) => (traffic.get(asn) ?? 0) > 0);
  const total = [...sizes.keys()].reduce((sum, asn) => sum + (traffic.get(asn) ?? 0), 0);
  return seen.map(({ address, asn, share }) => ({
    address,
    asn,
    share: ((traffic.get(asn) ?? 0) / total) * (share / (sizes.get(asn) ?? share)),
  }));
}

/** IPv4 in addresses, IPv6 in /48s; a network that is smaller than one counts as one. */
function weightOf({ family, length }: Subnet): number {
  return family === 4 ? 2 ** (32 - length) : 2 ** Math.max(0, 48 - length);
}

function heaviest(weights: ReadonlyMap<number, number>, always: ReadonlySet<number>): ReadonlySet<number> {
  const sorted = [...weights].sort((a, b) => b[1] - a[1]).slice(0, heaviestAsns);
  return new Set([...sorted.map(([asn]) => asn), ...[...always].filter((asn) => weights.has(asn))]);
}

/** The largest ones, at most so many. */
function withOne(known: readonly Weighed[], one: Weighed): readonly Weighed[] {
  if (known.length < networksOfAnAsn) return [...known, one];
  const smallest = known.reduce((least, next) => (next.weight < least.weight ? next : least));
  return one.weight <= smallest.weight ? known : [...known.filter((other) => other !== smallest), one];
}

function usersOf(
  networks: ReadonlyMap<number, readonly Weighed[]>,
  weights: ReadonlyMap<number, number>,
): readonly User[] {
  const total = [...networks.keys()].reduce((sum, asn) => sum + (weights.get(asn) ?? 0), 0);
  return [...networks].flatMap(([asn, list]) => {
    const size = list.reduce((sum, { weight }) => sum + weight, 0);
    return list.map(({ subnet, weight }) => ({
      address: { family: subnet.family, value: subnet.value },
      asn,
      share: ((weights.get(asn) ?? 0) / total) * (weight / size),
    }));
  });
}

/** By the place of the record, since many networks share one. */
function asnsOf({ reader }: Mmdb): (subnet: Subnet, record: number) => number | null {
  const known = new Map<number, number | null>();
  return (subnet, record) => {
    const found = known.get(record);
    if (found !== undefined) return found;
    const value: unknown = reader.get(formatAddress(subnet));
    const asn: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'autonomous_system_number') : null;
    const kept = typeof asn === 'number' && asn > 0 ? asn : null;
    known.set(record, kept);
    return kept;
  };
}

async function inSlices(
  { file, reader }: Mmdb,
  take: (network: { readonly subnet: Subnet; readonly record: number }) => void,
): Promise<void> {
  let count = 0;
  for (const network of networksOf(file, reader)) {
    take(network);
    count += 1;
    if (count % slice === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
