/**
 * The five-node lab on paper: three nodes in Hong Kong, one in Tokyo and one in Singapore, each with a link to every
 * carrier, and a management network with Redis. Links are those of the one-node lab's plan in seats 1 to 5; the
 * management network is 10.77.N.0/30 for the Nth node and 10.77.20+N.0/30 for the Nth database, routed by `mgmt`.
 */
import { planUplinks, targets, type TargetPlan } from '../network/addresses.ts';
import type { Neighbour } from '../carrier/config.ts';
import {
  databaseRooms,
  fleetNodeNames,
  fleetRooms,
  namespaceOf,
  type CarrierName,
  type DatabaseRoom,
  type FleetNodeName,
  type FleetRoom,
} from '../network/names.ts';
import type { Layout } from '../network/network.ts';
import { linkLines, roomLines, type NodePlan, type RoomKind } from '../network/topology.ts';
import type { NodePlace } from '../node/config.ts';

export interface FleetNodePlan extends NodePlace {
  readonly name: FleetNodeName;
  readonly management: string;
}

const sites: Readonly<Record<FleetNodeName, string>> = {
  hk1: 'hkg',
  hk2: 'hkg',
  hk3: 'hkg',
  tk1: 'tyo',
  sg1: 'sin',
};

/** Four targets in four regions: every node asks each of them through every carrier. */
export const fleetTargets: readonly TargetPlan[] = targets.filter(({ name }) =>
  ['jkt-1', 'mnl-1', 'kul-1', 'sgn-1'].includes(name),
);

export const fleetNodes: readonly FleetNodePlan[] = fleetNodeNames.map((name, position) => ({
  name,
  site: sites[name],
  routerId: `10.255.0.${position + 1}`,
  uplinks: planUplinks({ number: position + 1, link: name }),
  targets: fleetTargets,
  management: managementAddress(position + 1),
}));

export function fleetNode(name: FleetNodeName): FleetNodePlan {
  const plan = fleetNodes.find((one) => one.name === name);
  if (plan === undefined) throw new Error(`no plan for ${name}`);
  return plan;
}

/** Address of a database on the management network. */
export function databaseAddress(room: DatabaseRoom): string {
  return managementAddress(databaseNumber(room));
}

/** The sessions of a carrier, one pair for each node. */
export function neighboursOf(carrier: CarrierName): readonly Neighbour[] {
  return fleetNodes.flatMap(({ name, uplinks }) =>
    uplinks.filter((uplink) => uplink.name === carrier).map((uplink) => ({ name, uplink })),
  );
}

/** Everything that `raise` builds. */
export function fleetLayout(id: string): Layout {
  const nodes: readonly NodePlan[] = fleetNodes.map(({ name, uplinks }) => ({ room: name, uplinks }));
  return {
    rooms: fleetRooms.map((room) => ({
      room,
      kind: kindOf(room),
      lines: [...roomLines(room, nodes), ...managementLines(room)],
    })),
    links: [
      ...linkLines(id, nodes),
      ...members.map(
        ({ room }) =>
          `link add name mgmt netns ${namespaceOf(id, room)} type veth peer name ${room} netns ${namespaceOf(id, 'mgmt')}`,
      ),
    ],
  };
}

interface Member {
  readonly room: FleetRoom;
  readonly number: number;
}

/** Who stands on the management network. */
const members: readonly Member[] = [
  ...fleetNodeNames.map((room, position) => ({ room, number: position + 1 })),
  ...databaseRooms.map((room) => ({ room, number: databaseNumber(room) })),
];

function databaseNumber(room: DatabaseRoom): number {
  return 21 + databaseRooms.indexOf(room);
}

function managementAddress(number: number): string {
  return `10.77.${number}.2`;
}

function managementLines(room: FleetRoom): readonly string[] {
  if (room === 'mgmt') {
    return members.flatMap(({ room: far, number }) => [
      `addr add 10.77.${number}.1/30 dev ${far}`,
      `link set ${far} up`,
    ]);
  }
  const member = members.find((one) => one.room === room);
  if (member === undefined) return [];
  return [
    `addr add ${managementAddress(member.number)}/30 dev mgmt`,
    'link set mgmt up',
    `route add 10.77.0.0/16 via 10.77.${member.number}.1 dev mgmt`,
  ];
}

function kindOf(room: FleetRoom): RoomKind {
  if (fleetNodeNames.some((name) => name === room)) return 'node';
  return databaseRooms.some((name) => name === room) ? 'host' : 'router';
}
