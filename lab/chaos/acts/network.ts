/** Acts on the carriers' side and on links. */
import { tryRun, ipBatch } from '../../network/command.ts';
import { tablePrefix, blackHole, burstLoss, loss } from '../../faults/packet-filter.ts';
import { delay } from '../../faults/delay.ts';
import type { Direction, Fault } from '../../faults/fault.ts';
import { carrierDead, sharedTargetsDead } from '../../fleet/faults.ts';
import { causewayHere } from '../../fleet/in-process.ts';
import type { Region } from '../../network/addresses.ts';
import type { CarrierName, FleetNodeName } from '../../network/names.ts';
import { carrierUplinkLines, nodeUplinkLines, uplinkLine } from '../../network/topology.ts';
import type { Family } from '../../../src/types/units.ts';
import type { World } from '../world.ts';
import type { Act } from './act.ts';

/** A fault of the lab with one node, on the carrier's links to these nodes. */
export function actOfFault(world: World, fault: Fault): Act {
  const [first] = world.fleet.nodes;
  if (first === undefined) throw new RangeError('a world without nodes');
  // Packet filters stand in rooms that all nodes share, so any node's network will do.
  const { network } = first.lab;
  return { apply: () => fault.apply(network), mend: () => fault.mend(network) };
}

export function uplinkDead(
  world: World,
  node: FleetNodeName,
  carrier: CarrierName,
  more: { readonly family: Family | 'both'; readonly direction: Direction },
): Act {
  const families = more.family === 'both' ? {} : { families: [more.family] };
  return actOfFault(world, blackHole({ carrier, links: [node], direction: more.direction, ...families }));
}

export const wholeCarrierDead = (world: World, carrier: CarrierName): Act =>
  actOfFault(world, carrierDead(carrier, world.nodes));

export const targetsDie = (world: World, count: number): Act => actOfFault(world, sharedTargetsDead(count));

export const lossy = (world: World, node: FleetNodeName, carrier: CarrierName, percent: number): Act =>
  actOfFault(world, loss({ carrier, links: [node] }, percent));

export function bursty(
  world: World,
  node: FleetNodeName,
  carrier: CarrierName,
  { length, every }: { readonly length: number; readonly every: number },
): Act {
  return actOfFault(world, burstLoss({ carrier, links: [node] }, length, every));
}

/** On the way out alone: the relay's rules tell nodes apart by the interface that they come in by. */
export function slow(
  world: World,
  node: FleetNodeName,
  carrier: CarrierName,
  { millis, jitterMillis }: { readonly millis: number; readonly jitterMillis: number },
): Act {
  return actOfFault(world, delay({ carrier, links: [node], direction: 'out' }, millis, jitterMillis));
}

export const regionDead = (world: World, node: FleetNodeName, carrier: CarrierName, region: Region): Act =>
  actOfFault(world, blackHole({ carrier, links: [node], region }));

export function linkDown(
  world: World,
  node: FleetNodeName,
  carrier: CarrierName,
  end: 'node' | 'carrier',
): Act {
  const { network } = world.fleet;
  const line = end === 'node' ? `link set ${carrier} down` : `link set ${node} down`;
  return {
    apply: async () => {
      await ipBatch(network.namespace(end === 'node' ? node : carrier), [line]);
    },
    mend: () => mendLink(world, node, carrier),
  };
}

export function interfaceGone(world: World, node: FleetNodeName, carrier: CarrierName): Act {
  return {
    apply: async () => {
      await ipBatch(world.fleet.network.namespace(node), [`link del ${carrier}`]);
    },
    mend: () => mendLink(world, node, carrier),
  };
}

/** Whatever happened to it: made when it is gone, up at both ends, with all addresses, and its policy routing set again. */
export async function mendLink(world: World, node: FleetNodeName, carrier: CarrierName): Promise<void> {
  const { plan, lab } = world.node(node);
  const uplink = plan.uplinks.find(({ name }) => name === carrier);
  if (uplink === undefined) throw new RangeError(`${node} has no uplink ${carrier}`);
  const { network } = world.fleet;
  const [here, there] = [network.namespace(node), network.namespace(carrier)];
  if ((await tryRun('ip', ['-n', here, 'link', 'show', carrier])).exitCode !== 0)
    await ipBatch(null, [uplinkLine(network.id, uplink, node)]);
  const again = (lines: readonly string[]) => lines.map((line) => line.replace(/^addr add/, 'addr replace'));
  await Promise.all([
    ipBatch(there, again(carrierUplinkLines(uplink))),
    ipBatch(here, again(nodeUplinkLines(uplink))),
  ]);
  await lab.network.run('node', ['sh'], await causewayHere(lab.network, ['routing']));
}

/** Packets between a node and the management network vanish. */
export function cutOff(world: World, node: FleetNodeName): Act {
  return filter(world, node, 'mgmt', [
    `add rule inet ${tablePrefix}mgmt input iifname "mgmt" drop`,
    `add rule inet ${tablePrefix}mgmt output oifname "mgmt" drop`,
  ]);
}

/** What would make an entry in the table of connections is dropped; those that are there go on. */
export function connectionsFull(world: World, node: FleetNodeName): Act {
  return filter(world, node, 'conntrack', [
    `add rule inet ${tablePrefix}conntrack input ct state new drop`,
    `add rule inet ${tablePrefix}conntrack output ct state new drop`,
  ]);
}

function filter(world: World, node: FleetNodeName, name: string, rules: readonly string[]): Act {
  const table = `${tablePrefix}${name}`;
  const clear = [`add table inet ${table}`, `delete table inet ${table}`];
  const chains = ['input', 'output'].map(
    (hook) => `add chain inet ${table} ${hook} { type filter hook ${hook} priority -10; }`,
  );
  const nft = async (lines: readonly string[]): Promise<void> => {
    await world.fleet.network.run(node, ['nft', '-f', '-'], `${lines.join('\n')}\n`);
  };
  return {
    apply: () => nft([...clear, `add table inet ${table}`, ...chains, ...rules]),
    mend: () => nft(clear),
  };
}
