/** The lab of chaos: the fleet with Redis, and PowerDNS, GeoDNS, edges, small disks and a clock that can be moved. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fleet, type FleetNode, startFleet, waitFleetHealthy } from '../fleet/fleet.ts';
import { run } from '../network/command.ts';
import { fleetNodeNames, freshLabId, type CarrierName, type FleetNodeName } from '../network/names.ts';
import { nodeFiles } from '../node/config.ts';
import { startEdge } from '../node/edge.ts';
import type { DaemonOptions } from '../node/program.ts';
import { startGeoDnsService, writeGeoDns } from './geodns.ts';
import { chaosOptions, edgeNodes } from './options.ts';
import { startPowerDns } from './power-dns.ts';

export interface World {
  readonly fleet: Fleet;
  readonly nodes: readonly FleetNodeName[];
  readonly edges: readonly FleetNodeName[];
  /** Nodes whose wall clock can be moved; none where libfaketime is missing. */
  readonly clocks: readonly FleetNodeName[];
  node(name: FleetNodeName): FleetNode;
  daemonOptions(name: FleetNodeName): DaemonOptions;
  remove(): void;
}

/** Where Debian puts libfaketime on this architecture; null: it is not installed. */
function fakeTimeLibrary(): string | null {
  const found = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'faketime/libfaketimeMT.so.1'));
  return found.find((path) => existsSync(path)) ?? null;
}

/** Starts everything and waits until all nodes are healthy. */
export async function startWorld(count: number, say: (text: string) => void): Promise<World> {
  const nodes = fleetNodeNames.slice(0, count);
  const edges = edgeNodes.filter((node) => nodes.includes(node));
  const library = fakeTimeLibrary();
  const clocks = library === null ? [] : nodes.slice(-1);
  if (library === null) say('no clock will jump: libfaketime is missing (apt-get install faketime)');
  const optionsOf = (node: FleetNode): DaemonOptions =>
    library !== null && clocks.includes(node.plan.name) ? { env: fakedTime(node, library) } : {};
  const fleet = await startFleet(freshLabId(), {
    say,
    nodes: count,
    configOf: ({ name }, network) => chaosOptions(network, name, count),
    before: (started) => prepare(started, nodes, say),
    daemonOf: optionsOf,
  });
  try {
    await Promise.all(edges.map((name) => startNodeEdge(fleet.node(name))));
    say('waiting for healthy nodes');
    await waitFleetHealthy(fleet, 180_000);
  } catch (error) {
    fleet.remove();
    throw error;
  }
  return {
    fleet,
    nodes,
    edges,
    clocks,
    node: (name) => fleet.node(name),
    daemonOptions: (name) => optionsOf(fleet.node(name)),
    remove: () => fleet.remove(),
  };
}

async function prepare(
  fleet: Fleet,
  nodes: readonly FleetNodeName[],
  say: (text: string) => void,
): Promise<void> {
  for (const node of fleet.nodes) {
    await mountState(node);
    moveClock(node, 0);
    await trackConnections(node);
  }
  say('PowerDNS at three sites, causeway-geodns before them');
  await startPowerDns(fleet.network);
  writeGeoDns(fleet.network, nodes);
  await startGeoDnsService(fleet.network);
}

/** The state folder on a disk of its own, small enough to be filled; ten times what a run writes. */
async function mountState({ lab }: FleetNode): Promise<void> {
  const { state } = nodeFiles(lab.network);
  mkdirSync(state, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'causeway-chaos', state]);
}

/** Connections are tracked from the start, so that a table that is full later knows those that are there already. */
async function trackConnections({ lab }: FleetNode): Promise<void> {
  const rules = ['input', 'output'].flatMap((hook) => [
    `add chain inet tracked ${hook} { type filter hook ${hook} priority 0; }`,
    `add rule inet tracked ${hook} ct state new accept`,
  ]);
  await lab.network.run('node', ['nft', '-f', '-'], `${['add table inet tracked', ...rules].join('\n')}\n`);
}

/** Sets how far the node's wall clock is from the machine's; its daemon takes it over within a second. */
export function moveClock({ lab }: FleetNode, seconds: number): void {
  writeFileSync(join(lab.network.folder, 'clock'), `${seconds < 0 ? '' : '+'}${seconds}\n`);
}

function fakedTime({ lab }: FleetNode, library: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: join(lab.network.folder, 'clock'),
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Users of each carrier, by where the edge is told that they come from. */
export const edgeUsers: Readonly<Record<CarrierName, string>> = {
  cmi: '192.0.2.7',
  pccw: '198.51.100.7',
  hkbn: '203.0.113.7',
};

export async function startNodeEdge({ plan, lab }: FleetNode): Promise<void> {
  const networks = Object.fromEntries(
    Object.entries(edgeUsers).map(([carrier, address]) => [
      `of${carrier}`,
      { carriers: [carrier], prefix: `${address.slice(0, address.lastIndexOf('.'))}.0/24` },
    ]),
  );
  await startEdge(lab.network.namespace('node'), nodeFiles(lab.network), {
    node: plan.name,
    host: `${plan.name}.edge.test`,
    networks,
    origins: [{ address: '127.0.0.1', port: 8081 }],
  });
}
