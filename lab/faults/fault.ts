/** What every fault is: something that can be applied to a network and taken away again. */
import { families, type Family } from '../../src/types/units.ts';
import { carriers, regionPrefixes, type Region } from '../network/addresses.ts';
import type { CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';

export interface Fault {
  /** For people and timelines: `black hole behind cmi`. */
  readonly title: string;
  apply(network: Network): Promise<void>;
  /** Safe to repeat, and when it was never applied. */
  mend(network: Network): Promise<void>;
}

/** out: from the node to the internet; back: from the internet to the node. */
export type Direction = 'out' | 'back' | 'both';

/** Which forwarded traffic of a carrier a fault acts on. */
export interface Where {
  readonly carrier: CarrierName;
  /** Default: every region, and everything else too. */
  readonly region?: Region;
  readonly direction?: Direction;
  readonly families?: readonly Family[];
  /** The carrier's interfaces towards the nodes that it acts on; default: that of the lab with one node. */
  readonly links?: readonly string[];
}

export function linksOf(where: Where): readonly string[] {
  return where.links ?? ['node'];
}

export function familiesOf(where: Where): readonly Family[] {
  return where.families ?? families;
}

export function directionsOf(where: Where): readonly ('out' | 'back')[] {
  const direction = where.direction ?? 'both';
  return direction === 'both' ? ['out', 'back'] : [direction];
}

/** Prefixes of the far end; an empty list means any. */
export function farPrefixes(where: Where, family: Family): readonly string[] {
  return where.region === undefined ? [] : regionPrefixes(where.region, family);
}

/** `cmi`, `cmi in ID`, `cmi in ID, out only`. */
export function describeWhere(where: Where): string {
  const region = where.region === undefined ? '' : ` in ${where.region}`;
  const direction =
    where.direction === undefined || where.direction === 'both' ? '' : `, ${where.direction} only`;
  const family = where.families?.length === 1 ? `, IPv${where.families[0]} only` : '';
  const links = where.links === undefined ? '' : ` for ${where.links.join(' ')}`;
  return `${where.carrier}${region}${direction}${family}${links}`;
}

/** Letters and digits that tell one fault's tables and files from another's. */
export function slugOf(where: Where, kind: string): string {
  const family = where.families?.length === 1 ? String(where.families[0]) : '';
  const links = (where.links ?? []).join('');
  return [kind, where.carrier, where.region ?? 'all', where.direction ?? 'both', family, links]
    .join('_')
    .replace(/[^a-zA-Z0-9_]/g, '');
}

/** Several faults as one, applied at the same time. */
export function together(title: string, faults: readonly Fault[]): Fault {
  return {
    title,
    async apply(network) {
      await Promise.all(faults.map((fault) => fault.apply(network)));
    },
    async mend(network) {
      await Promise.all(faults.map((fault) => fault.mend(network)));
    },
  };
}

/** All carriers' names in the order of the plan. */
export const everyCarrier: readonly CarrierName[] = carriers.map((plan) => plan.name);
