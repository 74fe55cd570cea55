/** What chaos does to the five-node lab, as data: it stands in scripts and logs, and is judged without a lab. */
import type { Family } from '../../src/types/units.ts';
import { unreachable } from '../../src/types/unreachable.ts';
import type { Direction } from '../faults/fault.ts';
import type { Region } from '../network/addresses.ts';
import type { CarrierName, DatabaseRoom, FleetNodeName } from '../network/names.ts';

interface OnUplink {
  readonly node: FleetNodeName;
  readonly carrier: CarrierName;
}

export const redisTroubles = [
  'all-killed',
  'master-killed',
  'failed-over',
  'halted',
  'full',
  'wiped',
] as const;
export type RedisTrouble = (typeof redisTroubles)[number];

export const operatorWords = ['drain', 'withdraw', 'announce', 'freeze'] as const;
export type OperatorWord = (typeof operatorWords)[number];

export type ChaosFault =
  /** Nothing passes behind the carrier's router; its gateway answers and the session lives. */
  | (OnUplink & {
      readonly kind: 'uplink-dead';
      readonly family: Family | 'both';
      readonly direction: Direction;
    })
  | { readonly kind: 'carrier-dead'; readonly carrier: CarrierName }
  | (OnUplink & { readonly kind: 'loss'; readonly percent: number })
  | (OnUplink & { readonly kind: 'bursts'; readonly length: number; readonly every: number })
  | (OnUplink & { readonly kind: 'delay'; readonly millis: number; readonly jitterMillis: number })
  | (OnUplink & { readonly kind: 'region-dead'; readonly region: Region })
  | { readonly kind: 'targets-dead'; readonly count: number }
  | (OnUplink & { readonly kind: 'link-down'; readonly end: 'node' | 'carrier' })
  | (OnUplink & { readonly kind: 'interface-deleted' })
  | { readonly kind: 'bird'; readonly node: FleetNodeName; readonly what: 'killed' | 'halted' | 'configured' }
  | { readonly kind: 'daemon'; readonly node: FleetNodeName; readonly what: 'killed' | 'halted' }
  | { readonly kind: 'prober'; readonly node: FleetNodeName; readonly what: 'killed' | 'halted' }
  | { readonly kind: 'service'; readonly node: FleetNodeName }
  | { readonly kind: 'edge'; readonly node: FleetNodeName }
  | { readonly kind: 'redis'; readonly what: RedisTrouble }
  /** The node is cut off from Redis and GeoDNS. */
  | { readonly kind: 'management'; readonly node: FleetNodeName }
  | { readonly kind: 'dns-site'; readonly site: DatabaseRoom; readonly what: 'killed' | 'halted' }
  | { readonly kind: 'geodns'; readonly what: 'killed' | 'halted' }
  /** The wall clock of the node's daemon jumps; monotonic time goes on. */
  | { readonly kind: 'clock'; readonly node: FleetNodeName; readonly seconds: number }
  | { readonly kind: 'disk-full'; readonly node: FleetNodeName }
  /** As with a full table of connections: packets that would make an entry are dropped on the node. */
  | { readonly kind: 'conntrack-full'; readonly node: FleetNodeName }
  | (OnUplink & { readonly kind: 'operator'; readonly word: OperatorWord })
  /** `birdc disable` of an announcement by hand, and `enable` at its end. */
  | (OnUplink & { readonly kind: 'hand'; readonly family: Family });

export type ChaosKind = ChaosFault['kind'];

/** For people: `hk1: link to cmi down at the node`. */
export function faultText(fault: ChaosFault): string {
  switch (fault.kind) {
    case 'uplink-dead': {
      const family = fault.family === 'both' ? '' : ` IPv${fault.family}`;
      const direction = fault.direction === 'both' ? '' : `, ${fault.direction} only`;
      return `${fault.node}: black hole behind ${fault.carrier}${family}${direction}`;
    }
    case 'carrier-dead':
      return `black hole behind ${fault.carrier} for all nodes`;
    case 'loss':
      return `${fault.node}: ${fault.percent} % loss behind ${fault.carrier}`;
    case 'bursts':
      return `${fault.node}: bursts of ${fault.length} in ${fault.every} lost behind ${fault.carrier}`;
    case 'delay':
      return `${fault.node}: +${fault.millis} ± ${fault.jitterMillis} ms behind ${fault.carrier}`;
    case 'region-dead':
      return `${fault.node}: ${fault.region} dead behind ${fault.carrier}`;
    case 'targets-dead':
      return `${fault.count} targets dead for everybody`;
    case 'link-down':
      return `${fault.node}: link to ${fault.carrier} down at the ${fault.end}'s end`;
    case 'interface-deleted':
      return `${fault.node}: interface ${fault.carrier} deleted`;
    case 'bird':
    case 'daemon':
    case 'prober':
      return `${fault.node}: ${fault.kind} ${fault.what}`;
    case 'service':
      return `${fault.node}: HAProxy killed`;
    case 'edge':
      return `${fault.node}: nginx killed`;
    case 'redis':
      return `Redis ${fault.what}`;
    case 'management':
      return `${fault.node}: cut off from Redis and GeoDNS`;
    case 'dns-site':
      return `PowerDNS of ${fault.site} ${fault.what}`;
    case 'geodns':
      return `causeway-geodns ${fault.what}`;
    case 'clock':
      return `${fault.node}: wall clock jumps by ${fault.seconds} s`;
    case 'disk-full':
      return `${fault.node}: disk of the state folder full`;
    case 'conntrack-full':
      return `${fault.node}: table of connections full`;
    case 'operator':
      return `${fault.node}: operator: ${fault.word}${fault.word === 'freeze' ? '' : ` ${fault.carrier}`}`;
    case 'hand':
      return `${fault.node}: birdc disable announce_${fault.carrier}_web${fault.family}`;
    default:
      return unreachable(fault);
  }
}

/** The node that it happens to; null: to several, or to what they share. */
export function nodeOf(fault: ChaosFault): FleetNodeName | null {
  return 'node' in fault ? fault.node : null;
}

/** What two faults must not have in common at one time: mending one would mend or spoil the other. */
export function placesOf(fault: ChaosFault): readonly string[] {
  switch (fault.kind) {
    case 'carrier-dead':
      return [`hole ${fault.carrier}`];
    case 'targets-dead':
      return ['targets'];
    case 'redis':
      return ['redis'];
    case 'geodns':
      return ['geodns'];
    case 'dns-site':
      return [`site ${fault.site}`];
    case 'delay':
      // One relay for each carrier.
      return [`delay ${fault.carrier}`, `uplink ${fault.node} ${fault.carrier}`];
    case 'operator':
    case 'hand':
      return [`people ${fault.node}`];
    case 'uplink-dead':
    case 'loss':
    case 'bursts':
    case 'region-dead':
    case 'link-down':
    case 'interface-deleted':
      return [`uplink ${fault.node} ${fault.carrier}`];
    // An operator cannot speak to a daemon that is gone, nor a prober be killed with it.
    case 'daemon':
    case 'prober':
    case 'bird':
      return [`programs ${fault.node}`, `people ${fault.node}`];
    case 'clock':
    case 'disk-full':
    case 'conntrack-full':
    case 'management':
    case 'service':
    case 'edge':
      return [`${fault.kind} ${fault.node}`];
    default:
      return unreachable(fault);
  }
}
