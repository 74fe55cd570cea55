/** The five-node lab's network as a running thing, and as each of its nodes sees it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runIn } from '../network/command.ts';
import { labFolder, labId, namespaceOf, type FleetNodeName, type FleetRoom } from '../network/names.ts';
import { networkOf, raise, type Network } from '../network/network.ts';
import { fleetLayout } from './layout.ts';

export interface FleetNetwork {
  readonly id: string;
  readonly folder: string;
  /** Carriers and internet, with the folder of the whole lab: for who looks at the carriers. */
  readonly shared: Network;
  /** The lab as if it had this node alone: `node` is its namespace, and the folder its own. */
  node(name: FleetNodeName): Network;
  namespace(room: FleetRoom): string;
  /** Runs a command in a room and returns what it prints. */
  run(room: FleetRoom, argv: readonly string[], input?: string): Promise<string>;
  /** Kills what runs in the lab and removes it; safe to repeat. */
  remove(): void;
}

export async function startFleetNetwork(idText: string): Promise<FleetNetwork> {
  const id = labId(idText);
  await raise(id, fleetLayout(id));
  return fleetNetworkOf(id);
}

function fleetNetworkOf(id: string): FleetNetwork {
  const folder = labFolder(id);
  const shared = networkOf(id);
  return {
    id,
    folder,
    shared,
    node: (name) => nodeNetwork(id, name, shared),
    namespace: (room) => namespaceOf(id, room),
    run: (room, argv, input) => runIn(namespaceOf(id, room), argv, input === undefined ? {} : { input }),
    remove: () => shared.remove(),
  };
}

function nodeNetwork(id: string, name: FleetNodeName, shared: Network): Network {
  const folder = join(labFolder(id), name);
  mkdirSync(folder, { recursive: true });
  const namespace: Network['namespace'] = (room) => namespaceOf(id, room === 'node' ? name : room);
  return {
    id,
    folder,
    namespace,
    run: (room, argv, input) => runIn(namespace(room), argv, input === undefined ? {} : { input }),
    remove: () => shared.remove(),
  };
}
