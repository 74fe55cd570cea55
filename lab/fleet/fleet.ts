/** The whole five-node lab: network, carriers, Redis, and on each node BIRD, HAProxy and the daemon. */
import { families } from '../../src/types/units.ts';
import { writeFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { observeCarriers } from '../carrier/observer.ts';
import { startCarriers } from '../carrier/router.ts';
import { followWire, type WireLog } from '../carrier/wire-log.ts';
import { mendPacketFilters } from '../faults/packet-filter.ts';
import { carrierNames, type FleetNodeName } from '../network/names.ts';
import { readPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { askNodeBird, startNodeBird } from '../node/bird.ts';
import { nodeConfig, nodeFiles, type NodeOptions } from '../node/config.ts';
import { startHaproxy } from '../node/haproxy.ts';
import { isHealthy, sessionsUp, type Lab } from '../node/lab.ts';
import { daemonPidFile, forgetState, startDaemon, stopDaemon, type DaemonOptions } from '../node/program.ts';
import { startDatabases } from './databases.ts';
import { causewayHere, inPairs } from './in-process.ts';
import { fleetNodes, neighboursOf, type FleetNodePlan } from './layout.ts';
import { startFleetNetwork, type FleetNetwork } from './network.ts';
import { fleetOptions } from './options.ts';

/** A node of the fleet: its plan, and the lab as if it had this node alone. */
export interface FleetNode {
  readonly plan: FleetNodePlan;
  readonly lab: Lab;
}

export interface Fleet {
  readonly network: FleetNetwork;
  readonly nodes: readonly FleetNode[];
  node(name: FleetNodeName): FleetNode;
  /** What the carriers hear, of all nodes, since the lab began. */
  readonly wire: WireLog;
  /** Ends what runs and removes all of it. */
  remove(): void;
}

export interface FleetLabOptions {
  /** Told what is being done. */
  readonly say?: (text: string) => void;
  /** The first so many of the five nodes run; absent: all. */
  readonly nodes?: number;
  /** The config of a node; absent: that of all the fleet's scenarios. */
  readonly configOf?: (plan: FleetNodePlan, network: FleetNetwork) => NodeOptions;
  /** Brings what the nodes' configs name: the network stands, nothing of a node runs yet. */
  readonly before?: (fleet: Fleet) => Promise<void>;
  /** How a node's daemon is started the first time. */
  readonly daemonOf?: (node: FleetNode) => DaemonOptions;
}

/** Starts everything; it does not wait for health. */
export async function startFleet(id: string, options: FleetLabOptions = {}): Promise<Fleet> {
  const { say = () => undefined, nodes = fleetNodes.length, configOf = () => fleetOptions } = options;
  say(`network: room for five nodes (${nodes} run), three carriers, one internet, a management network`);
  const network = await startFleetNetwork(id);
  try {
    await startCarriers(network.shared, 'bird', neighboursOf);
    const fleet = fleetOf(network, nodes);
    await options.before?.(fleet);
    say('Redis, its replica, three Sentinels; on each node policy routing and BIRD’s file');
    await Promise.all([
      startDatabases(network),
      inPairs(fleet.nodes, (node) => prepareNode(node, configOf(node.plan, network))),
    ]);
    say(`BIRD and HAProxy on each node; waiting for ${nodes * 6} BGP sessions`);
    await Promise.all(
      fleet.nodes.flatMap(({ lab }) => [startNodeBird(lab.network), startHaproxy(lab.network)]),
    );
    await waitForSessions(fleet);
    say('daemons: `causeway run`');
    await startDaemons(fleet, options.daemonOf);
    return fleet;
  } catch (error) {
    network.remove();
    throw error;
  }
}

function fleetOf(network: FleetNetwork, count: number): Fleet {
  const nodes = fleetNodes.slice(0, count).map((plan): FleetNode => {
    const observer = observeCarriers(network.shared, plan.name);
    const node = network.node(plan.name);
    return { plan, lab: { network: node, observer, remove: () => network.remove() } };
  });
  const wire = followWire(network.shared);
  return {
    network,
    nodes,
    node(name) {
      const found = nodes.find(({ plan }) => plan.name === name);
      if (found === undefined) throw new Error(`the fleet has no node ${name}`);
      return found;
    },
    wire,
    remove() {
      wire.stop();
      for (const { lab } of nodes) lab.observer.close();
      network.remove();
    },
  };
}

async function prepareNode({ plan, lab }: FleetNode, options: NodeOptions): Promise<void> {
  const files = nodeFiles(lab.network);
  mkdirSync(dirname(files.owned), { recursive: true });
  writeFileSync(files.config, nodeConfig(files, options, plan));
  await lab.network.run('node', ['sh', '-e'], await causewayHere(lab.network, ['routing']));
  await causewayHere(lab.network, ['render', '--write', '--plain']);
}

/** Of the nodes on which none runs. */
async function startDaemons(fleet: Fleet, optionsOf?: (node: FleetNode) => DaemonOptions): Promise<void> {
  await inPairs(fleet.nodes, async (node) => {
    const { network } = node.lab;
    if (readPidFile(daemonPidFile(network)) === null) await startDaemon(network, optionsOf?.(node) ?? {});
  });
}

async function waitForSessions(fleet: Fleet): Promise<void> {
  await waitUntil(
    `${fleet.nodes.length * 6} established sessions`,
    async () => (await Promise.all(fleet.nodes.map(({ lab }) => sessionsUp(lab.observer)))).every(Boolean),
    { timeoutMillis: 60_000, everyMillis: 100 },
  );
}

/** Waits until every node calls all its uplinks healthy, without an alarm, and all carriers hold all its routes. */
export async function waitFleetHealthy(fleet: Fleet, timeoutMillis = 90_000): Promise<void> {
  await waitUntil('five nodes with three healthy uplinks each', () => fleetIsHealthy(fleet), {
    timeoutMillis,
    everyMillis: 250,
  });
}

export async function fleetIsHealthy(fleet: Fleet): Promise<boolean> {
  return (await Promise.all(fleet.nodes.map(({ lab }) => isHealthy(lab)))).every(Boolean);
}

/** Takes faults of the network away, and starts what does not run: HAProxy, daemons. Redis is left as it is. */
export async function mendFleet(fleet: Fleet): Promise<void> {
  for (const { lab } of fleet.nodes) await mendPacketFilters(lab.network);
  await Promise.all(fleet.nodes.map(({ lab }) => startHaproxy(lab.network)));
  await startDaemons(fleet);
}

/** Forgets verdicts, hands and tokens, and starts Redis and all daemons anew. */
export async function startFleetAnew(fleet: Fleet): Promise<void> {
  await Promise.all(fleet.nodes.map(({ lab }) => stopDaemon(lab.network, 'SIGKILL')));
  for (const { lab } of fleet.nodes) await mendPacketFilters(lab.network);
  await Promise.all([
    startDatabases(fleet.network),
    inPairs(fleet.nodes, async ({ lab }) => {
      forgetState(lab.network);
      await causewayHere(lab.network, ['render', '--write', '--plain']);
      await startNodeBird(lab.network);
      await askNodeBird(lab.network, 'configure');
      await startHaproxy(lab.network);
    }),
  ]);
  await waitForSessions(fleet);
  await startDaemons(fleet);
}

/** One subcommand of `causeway` on a node, to its end; throws when it fails. */
export function onNode(fleet: Fleet, name: FleetNodeName, args: readonly string[]): Promise<string> {
  return causewayHere(fleet.node(name).lab.network, args);
}

/** Names of the nodes whose route a carrier holds in every family and at every carrier. */
export async function announcingNodes(fleet: Fleet): Promise<readonly FleetNodeName[]> {
  const held = await Promise.all(
    fleet.nodes.map(async ({ plan, lab }) => {
      const views = await lab.observer.views();
      const all = carrierNames.every((carrier) =>
        families.every((family) => views[carrier].routes[family] !== null),
      );
      return all ? [plan.name] : [];
    }),
  );
  return held.flat();
}
