/**
 * The lab's address plan: links from 198.18.0.0/15 (RFC 2544), targets from the documentation ranges (RFC 5737, 3849).
 * Each region has prefixes of its own in both families, so that a fault can be limited to a region by prefix alone.
 */
import type { Family } from '../../src/types/units.ts';
import { carrierNames, type CarrierName } from './names.ts';

export const nodeAsn = 65001;

export interface CarrierPlan {
  readonly name: CarrierName;
  readonly asn: number;
  /** 1, 2, 3: stands in addresses and table numbers. */
  readonly index: number;
  /** The carrier's interface towards the node. */
  readonly link: string;
  /** The node's end of the uplink. */
  readonly node: Readonly<Record<Family, string>>;
  /** The carrier's end: BGP neighbour and gateway. */
  readonly router: Readonly<Record<Family, string>>;
  readonly linkPrefix: Readonly<Record<Family, string>>;
  readonly linkLength: Readonly<Record<Family, number>>;
  /** Two equal paths between the carrier and the internet. */
  readonly legs: readonly LegPlan[];
}

export interface LegPlan {
  /** Interface in the carrier's namespace: net0, net1. */
  readonly carrierEnd: string;
  /** Interface in the internet: cmi0, cmi1, … */
  readonly netEnd: string;
  readonly carrier: Readonly<Record<Family, string>>;
  readonly net: Readonly<Record<Family, string>>;
}

export interface TargetPlan {
  readonly name: string;
  readonly region: Region;
  readonly address: Readonly<Record<Family, string>>;
  readonly tcp: boolean;
}

export const regions = ['ID', 'PH', 'MY', 'VN', 'SG'] as const;
export type Region = (typeof regions)[number];

const cities: Readonly<Record<Region, string>> = { ID: 'jkt', PH: 'mnl', MY: 'kul', VN: 'sgn', SG: 'sin' };
const callingCodes: Readonly<Record<Region, number>> = { ID: 62, PH: 63, MY: 60, VN: 84, SG: 65 };
const carrierAsns: Readonly<Record<CarrierName, number>> = { cmi: 58453, pccw: 3491, hkbn: 9269 };

/** The service that the lab's node announces. */
export const service = {
  name: 'web',
  prefix: { 4: '203.0.113.0/24', 6: '2001:db8:a::/48' } satisfies Record<Family, string>,
} as const;

export const carriers: readonly CarrierPlan[] = planUplinks({ number: 0, link: 'node' });

/** Where a node is plugged in at each carrier: its links have addresses of their own by the number, 0 to 63. */
export interface Seat {
  readonly number: number;
  readonly link: string;
}

/** The uplinks of a node in that seat. */
export function planUplinks(seat: Seat): readonly CarrierPlan[] {
  return carrierNames.map((name, position) => planCarrier(name, position + 1, seat));
}

export function carrierPlan(name: CarrierName): CarrierPlan {
  const plan = carriers.find((one) => one.name === name);
  if (plan === undefined) throw new Error(`no plan for ${name}`);
  return plan;
}

/** Two targets in each region; the first of each also answers TCP 443. */
export const targets: readonly TargetPlan[] = regions.flatMap((region, position) =>
  [1, 2].map((number) => ({
    name: `${cities[region]}-${number}`,
    region,
    address: {
      4: `${number === 1 ? '198.51.100' : '192.0.2'}.${position * 16 + 10}`,
      6: `2001:db8:${callingCodes[region]}:${number}::10`,
    },
    tcp: number === 1,
  })),
);

/** The prefixes that hold all of a region's targets. */
export function regionPrefixes(region: Region, family: Family): readonly string[] {
  if (family === 6) return [`2001:db8:${callingCodes[region]}::/48`];
  const first = regions.indexOf(region) * 16;
  return [`198.51.100.${first}/28`, `192.0.2.${first}/28`];
}

export function isRegion(text: string): text is Region {
  return regions.some((region) => region === text);
}

function planCarrier(name: CarrierName, index: number, { number, link }: Seat): CarrierPlan {
  const first = number * 4;
  const six = number === 0 ? `2001:db8:ff0${index}` : `2001:db8:ff0${index}:${number.toString(16)}`;
  return {
    name,
    asn: carrierAsns[name],
    index,
    link,
    node: { 4: `198.18.${index}.${first + 2}`, 6: `${six}::2` },
    router: { 4: `198.18.${index}.${first + 1}`, 6: `${six}::1` },
    linkPrefix: { 4: `198.18.${index}.${first}/30`, 6: `${six}::/64` },
    linkLength: { 4: 30, 6: 64 },
    legs: [0, 1].map((leg) => ({
      carrierEnd: `net${leg}`,
      netEnd: `${name}${leg}`,
      carrier: { 4: `198.19.${index}.${leg * 4 + 2}`, 6: `2001:db8:fe0${index}:${leg}::2` },
      net: { 4: `198.19.${index}.${leg * 4 + 1}`, 6: `2001:db8:fe0${index}:${leg}::1` },
    })),
  };
}
