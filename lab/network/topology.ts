/** The lab's network as text for `ip -batch` and sysctl: pure, so that it can be read without running it. */
import { families, type Family } from '../../src/types/units.ts';
import { carriers, targets, type CarrierPlan, type LegPlan } from './addresses.ts';
import { type FleetRoom, namespaceOf, type Room } from './names.ts';

/** A node and its uplinks, one at each carrier. */
export interface NodePlan {
  readonly room: Room | FleetRoom;
  readonly uplinks: readonly CarrierPlan[];
}

/** The node of the lab with one. */
export const loneNode: NodePlan = { room: 'node', uplinks: carriers };

/** Namespaces, made before their sysctls are set. */
export function namespaceLines(id: string, rooms: readonly (Room | FleetRoom)[]): readonly string[] {
  return rooms.map((room) => `netns add ${namespaceOf(id, room)}`);
}

/** All links; each end is made in its namespace, so that no name ever stands in the machine's own one. */
export function linkLines(id: string, nodes: readonly NodePlan[] = [loneNode]): readonly string[] {
  return [
    ...nodes.flatMap(({ room, uplinks }) => uplinks.map((plan) => uplinkLine(id, plan, room))),
    ...carriers.flatMap((plan) =>
      plan.legs.map((leg) =>
        veth(leg.carrierEnd, namespaceOf(id, plan.name), leg.netEnd, namespaceOf(id, 'net')),
      ),
    ),
  ];
}

/** The veth pair between a node and a carrier. */
export function uplinkLine(id: string, plan: CarrierPlan, room: Room | FleetRoom = 'node'): string {
  return veth(plan.name, namespaceOf(id, room), plan.link, namespaceOf(id, plan.name));
}

/** Addresses of the node's end of one uplink. */
export function nodeUplinkLines(plan: CarrierPlan): readonly string[] {
  return [
    ...families.map((family) => address(plan.node[family], plan.linkLength[family], plan.name, family)),
    `link set ${plan.name} up`,
  ];
}

/** Addresses of the carrier's end of its link to a node. */
export function carrierUplinkLines(plan: CarrierPlan): readonly string[] {
  return [
    ...families.map((family) => address(plan.router[family], plan.linkLength[family], plan.link, family)),
    `link set ${plan.link} up`,
  ];
}

/** Addresses and routes of a room; of one that is neither node, carrier nor internet, the loopback alone. */
export function roomLines(
  room: Room | FleetRoom,
  nodes: readonly NodePlan[] = [loneNode],
): readonly string[] {
  if (room === 'net') return netLines(nodes);
  const node = nodes.find((one) => one.room === room);
  if (node !== undefined) return ['link set lo up', ...node.uplinks.flatMap((plan) => nodeUplinkLines(plan))];
  const carrier = carriers.find((one) => one.name === room);
  return carrier === undefined ? ['link set lo up'] : carrierLines(carrier, nodes);
}

/** What a namespace is: a node, a router that forwards, or a host that does not. */
export type RoomKind = 'node' | 'router' | 'host';

/** Settings of every room; RFC 4862's duplicate check would delay each address by a second. */
export function sysctls(kind: RoomKind): readonly string[] {
  const common = [
    'net.ipv4.conf.all.rp_filter=0',
    'net.ipv4.conf.default.rp_filter=0',
    'net.ipv6.conf.all.accept_dad=0',
    'net.ipv6.conf.default.accept_dad=0',
    'net.ipv4.fib_multipath_hash_policy=1',
    'net.ipv6.fib_multipath_hash_policy=1',
  ];
  if (kind === 'node') return [...common, 'net.ipv4.ping_group_range=0 2147483647'];
  if (kind === 'host') return common;
  return [
    ...common,
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    'net.ipv6.conf.default.forwarding=1',
    // Link faults take the carrier's side down and up again; its addresses and routes must come back by themselves.
    'net.ipv6.conf.all.keep_addr_on_down=1',
    'net.ipv6.conf.default.keep_addr_on_down=1',
  ];
}

function carrierLines(plan: CarrierPlan, nodes: readonly NodePlan[]): readonly string[] {
  const uplinks = nodes.flatMap((node) => node.uplinks.filter(({ name }) => name === plan.name));
  return [
    'link set lo up',
    ...uplinks.flatMap((uplink) => carrierUplinkLines(uplink)),
    ...plan.legs.flatMap((leg) => [
      ...legAddresses(leg.carrier, leg.carrierEnd),
      `link set ${leg.carrierEnd} up`,
    ]),
    ...families.map((family) =>
      multipath(
        'default',
        plan.legs.map((leg) => ({ via: leg.net[family], dev: leg.carrierEnd })),
        family,
      ),
    ),
  ];
}

function netLines(nodes: readonly NodePlan[]): readonly string[] {
  return [
    'link set lo up',
    ...targets.flatMap((target) =>
      families.map((family) => address(target.address[family], family === 4 ? 32 : 128, 'lo', family)),
    ),
    ...carriers.flatMap((plan) => plan.legs.flatMap(netLegLines)),
    ...nodes
      .flatMap(({ uplinks }) => uplinks)
      .flatMap((plan) =>
        families.map((family) => multipath(plan.linkPrefix[family], legHops(plan.legs, family), family)),
      ),
  ];
}

function netLegLines(leg: LegPlan): readonly string[] {
  return legAddresses(leg.net, leg.netEnd).concat(`link set ${leg.netEnd} up`);
}

function legHops(legs: readonly LegPlan[], family: Family): readonly Hop[] {
  return legs.map((leg) => ({ via: leg.carrier[family], dev: leg.netEnd }));
}

interface Hop {
  readonly via: string;
  readonly dev: string;
}

function multipath(to: string, hops: readonly Hop[], family: Family): string {
  const list = hops.map((hop) => `nexthop via ${hop.via} dev ${hop.dev}`).join(' ');
  // `ip -batch` takes the family from the first address it meets, and `default` is none.
  const destination = to === 'default' ? (family === 4 ? '0.0.0.0/0' : '::/0') : to;
  return `route add ${destination} ${list}`;
}

function legAddresses(addresses: Readonly<Record<Family, string>>, dev: string): readonly string[] {
  return families.map((family) => address(addresses[family], family === 4 ? 30 : 64, dev, family));
}

function address(text: string, length: number, dev: string, family: Family): string {
  return `addr add ${text}/${length} dev ${dev}${family === 6 ? ' nodad' : ''}`;
}

function veth(name: string, namespace: string, peer: string, peerNamespace: string): string {
  return `link add name ${name} netns ${namespace} type veth peer name ${peer} netns ${peerNamespace}`;
}
