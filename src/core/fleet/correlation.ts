/**
 * Whose fault it is, from what several nodes measure. Targets are the same on two nodes when address and family are.
 *
 *   a target fails on two nodes or more and is seen well by none  → the target's
 *   a carrier fails on two nodes or more while these have others  → the carrier's
 *   a region fails by one carrier on two nodes or more           → the carrier's, in that region
 *   every uplink of every node fails                              → everybody's: something that all of them share
 */
import { families, type Family } from '../../types/units.ts';
import type { HealthState } from '../../types/wire/enums.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';

export type Finding =
  | {
      readonly kind: 'target';
      readonly address: string;
      readonly family: Family;
      readonly nodes: readonly string[];
    }
  | {
      readonly kind: 'carrier';
      readonly carrier: string;
      readonly family: Family;
      readonly nodes: readonly string[];
      /** Nodes on which the same carrier is not failed. */
      readonly wellOn: readonly string[];
    }
  | {
      readonly kind: 'region';
      readonly carrier: string;
      readonly region: string;
      readonly family: Family;
      /** On them the carrier's other regions are fine. */
      readonly nodes: readonly string[];
    }
  | { readonly kind: 'everybody'; readonly family: Family; readonly nodes: readonly string[] };

/** Names of the nodes that see a target failed, and well. */
export interface TargetSight {
  readonly address: string;
  readonly family: Family;
  readonly failedOn: readonly string[];
  readonly wellOn: readonly string[];
}

const fewestNodes = 2;

export function sightKey(address: string, family: Family): string {
  return `${family} ${address}`;
}

/** By sightKey. A node sees a target well if it does so over any uplink, and failed if it does over all that measure it. */
export function targetSights(
  presences: readonly Presence[],
  /** sightKeys that are asked for; null: all. */
  only: ReadonlySet<string> | null = null,
): ReadonlyMap<string, TargetSight> {
  const sights = new Map<string, TargetSight>();
  for (const { node, targets } of presences) {
    const seen = new Map<
      string,
      { readonly target: Presence['targets'][number]; readonly all: HealthState[] }
    >();
    for (const target of targets) {
      const key = sightKey(target.address, target.family);
      if (only !== null && !only.has(key)) continue;
      const one = seen.get(key) ?? { target, all: [] };
      one.all.push(target.health);
      seen.set(key, one);
    }
    for (const [key, { target, all }] of seen) {
      const { address, family } = target;
      const before = sights.get(key) ?? { address, family, failedOn: [], wellOn: [] };
      sights.set(key, withNode(before, node, all));
    }
  }
  return sights;
}

function withNode(sight: TargetSight, node: string, all: readonly HealthState[]): TargetSight {
  if (all.includes('healthy')) return { ...sight, wellOn: [...sight.wellOn, node] };
  const known = all.filter((health) => health !== 'unknown');
  const isFailed = known.length > 0 && known.every((health) => health === 'failed');
  return isFailed ? { ...sight, failedOn: [...sight.failedOn, node] } : sight;
}

/** Of the nodes that are heard, this one included. */
export function correlate(presences: readonly Presence[]): readonly Finding[] {
  const findings = families.flatMap((family) => {
    const roads = presences.flatMap((presence) => roadsOf(presence, family));
    return [...everybody(roads, family), ...carriers(roads, family)];
  });
  const targets = [...targetSights(presences).values()]
    .filter(({ failedOn, wellOn }) => failedOn.length >= fewestNodes && wellOn.length === 0)
    .map(({ address, family, failedOn }): Finding => ({ kind: 'target', address, family, nodes: failedOn }));
  return [...findings, ...regions(presences), ...targets];
}

function regions(presences: readonly Presence[]): readonly Finding[] {
  const found = new Map<string, Extract<Finding, { kind: 'region' }>>();
  for (const { node, failedRegions = [] } of presences) {
    for (const { carrier, region, family } of failedRegions) {
      const key = `${family} ${carrier} ${region}`;
      const nodes = found.get(key)?.nodes ?? [];
      if (!nodes.includes(node))
        found.set(key, { kind: 'region', carrier, region, family, nodes: [...nodes, node] });
    }
  }
  return [...found.values()].filter(({ nodes }) => nodes.length >= fewestNodes);
}

/** An uplink of a node in a family. */
interface Road {
  readonly node: string;
  readonly carrier: string;
  readonly failed: boolean;
}

/** The health of an uplink stands at each of its announcements. */
function roadsOf({ node, announcements }: Presence, family: Family): readonly Road[] {
  const roads = new Map<string, Road>();
  for (const one of announcements) {
    if (one.family !== family || one.health === 'unknown') continue;
    roads.set(one.uplink, { node, carrier: one.carrier, failed: one.health === 'failed' });
  }
  return [...roads.values()];
}

function everybody(roads: readonly Road[], family: Family): readonly Finding[] {
  const nodes = namesOf(roads);
  if (nodes.length < fewestNodes || !roads.every(({ failed }) => failed)) return [];
  return [{ kind: 'everybody', family, nodes }];
}

function carriers(roads: readonly Road[], family: Family): readonly Finding[] {
  if (roads.every(({ failed }) => failed)) return [];
  const names = [...new Set(roads.map(({ carrier }) => carrier))];
  return names.flatMap((carrier): readonly Finding[] => {
    const own = roads.filter((road) => road.carrier === carrier);
    const nodes = namesOf(own.filter(({ failed }) => failed));
    const wellOn = namesOf(own.filter(({ failed }) => !failed));
    return nodes.length < fewestNodes ? [] : [{ kind: 'carrier', carrier, family, nodes, wellOn }];
  });
}

function namesOf(roads: readonly Road[]): readonly string[] {
  return [...new Set(roads.map(({ node }) => node))];
}

/** A finding as one sentence for people. */
export function findingText(finding: Finding): string {
  const on = `on ${finding.nodes.join(', ')}`;
  switch (finding.kind) {
    case 'target':
      return `the target ${finding.address} fails ${on} and is seen well by nobody: its own fault, not an uplink's`;
    case 'carrier': {
      const well = finding.wellOn.length === 0 ? '' : `, not on ${finding.wellOn.join(', ')}`;
      return `${finding.carrier} fails in IPv${finding.family} ${on}${well}: the carrier's fault`;
    }
    case 'region':
      return `${finding.carrier} fails in IPv${finding.family} towards ${finding.region} ${on}, and is fine elsewhere: the carrier's fault in that region`;
    case 'everybody':
      return `every uplink fails in IPv${finding.family} ${on}: the fault of something that all of them share`;
  }
}
