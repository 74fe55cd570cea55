/** Faults of the fleet: of a carrier for some or all nodes, of what nodes share, of the way to Redis, and of Redis. */
import type { Fault } from '../faults/fault.ts';
import { blackHole, tablePrefix, targetsDead } from '../faults/packet-filter.ts';
import { databaseRooms, fleetNodeNames, type CarrierName, type FleetNodeName } from '../network/names.ts';
import {
  askRedis,
  askSentinel,
  databaseRuns,
  masterName,
  masterRoom,
  redisRooms,
  signalProgram,
  startDatabases,
  startRedis,
  stopDatabases,
  stopProgram,
  type DatabaseProgram,
} from './databases.ts';
import type { Fleet } from './fleet.ts';
import { fleetTargets } from './layout.ts';
import type { FleetNetwork } from './network.ts';

/** Nothing passes beyond the carrier's router, for these nodes or for all. */
export function carrierDead(carrier: CarrierName, nodes: readonly FleetNodeName[] = fleetNodeNames): Fault {
  return blackHole({ carrier, links: nodes });
}

/** Of the targets that all nodes share, this many die. */
export function sharedTargetsDead(count: number): Fault {
  return targetsDead(fleetTargets.slice(0, count).map(({ address }) => address));
}

/** Something that happens to Redis, and how it ends. */
export interface RedisFault {
  /** Kebab-case, part of the scenario's name. */
  readonly name: string;
  readonly title: string;
  /** Nodes that cannot ask it until it is repaired; the others go on, with another master where need be. */
  readonly silences: readonly FleetNodeName[];
  /** Afterwards Redis is not as it was: another master, Sentinels that wait. */
  readonly spoils: boolean;
  strike(fleet: Fleet): Promise<void>;
  /** Whether the fault is really there; without it, being silent says so. */
  struck?(fleet: Fleet): Promise<boolean>;
  repair(fleet: Fleet): Promise<void>;
  /** Another master, or none of its data: nobody may be given consent for a while. */
  readonly changesMaster: boolean;
}

const nobody: readonly FleetNodeName[] = [];
const cutOff: readonly FleetNodeName[] = ['hk2', 'sg1'];

export const redisFaults: readonly RedisFault[] = [
  {
    name: 'killed',
    title: 'Redis, its replica and all Sentinels are killed',
    silences: fleetNodeNames,
    spoils: false,
    strike: ({ network }) => stopDatabases(network),
    repair: ({ network }) => startDatabases(network),
    changesMaster: true,
  },
  {
    name: 'failed-over',
    title: 'the Sentinels are told to fail over',
    silences: nobody,
    spoils: true,
    async strike({ network }) {
      await askSentinel(network, 'db1', 'SENTINEL', 'FAILOVER', masterName);
    },
    struck: async ({ network }) => (await masterRoom(network)) === 'db2',
    repair: async () => undefined,
    changesMaster: true,
  },
  {
    name: 'master-killed',
    title: 'the master is killed, and comes back empty when the replica has taken its place',
    silences: nobody,
    spoils: true,
    strike: ({ network }) => stopProgram(network, 'db1', 'redis'),
    struck: async ({ network }) => (await masterRoom(network)) === 'db2',
    repair: ({ network }) => startRedis(network, 'db1'),
    changesMaster: true,
  },
  {
    name: 'halted',
    title: 'everything of Redis is halted by SIGSTOP',
    silences: fleetNodeNames,
    spoils: true,
    strike: async ({ network }) => signalAll(network, ['redis', 'sentinel'], 'SIGSTOP'),
    repair: async ({ network }) => signalAll(network, ['redis', 'sentinel'], 'SIGCONT'),
    changesMaster: false,
  },
  {
    name: 'full',
    title: 'Redis is full: maxmemory is reached, and nothing is evicted',
    silences: fleetNodeNames,
    spoils: false,
    strike: ({ network }) => configure(network, 'maxmemory', '1'),
    repair: ({ network }) => configure(network, 'maxmemory', '0'),
    changesMaster: false,
  },
  {
    name: 'read-only',
    title:
      'the Sentinels are halted and the master is made a replica of nothing: it reads, and does not write',
    silences: fleetNodeNames,
    spoils: true,
    async strike({ network }) {
      signalAll(network, ['sentinel'], 'SIGSTOP');
      // Port 9 of itself: nobody is there.
      await askRedis(network, await masterHeld(network), 'REPLICAOF', '127.0.0.1', '9');
    },
    async repair({ network }) {
      await askRedis(network, 'db1', 'REPLICAOF', 'NO', 'ONE');
      signalAll(network, ['sentinel'], 'SIGCONT');
    },
    // Made a master again, it has a history of its own.
    changesMaster: true,
  },
  {
    name: 'cut-off',
    title: `${cutOff.join(' and ')} are cut off from Redis: packets vanish`,
    silences: cutOff,
    spoils: false,
    async strike(fleet) {
      await Promise.all(cutOff.map((name) => filterManagement(fleet, name, 'cut')));
    },
    async repair(fleet) {
      await Promise.all(cutOff.map((name) => filterManagement(fleet, name, 'whole')));
    },
    changesMaster: false,
  },
  {
    name: 'wiped',
    title: 'FLUSHALL, and all functions and scripts are gone',
    silences: nobody,
    spoils: false,
    async strike({ network }) {
      const master = await masterRoom(network);
      await askRedis(network, master, 'FLUSHALL');
      await askRedis(network, master, 'FUNCTION', 'FLUSH');
      await askRedis(network, master, 'SCRIPT', 'FLUSH');
    },
    repair: async () => undefined,
    changesMaster: true,
  },
];

/** The two Redis and the three Sentinels that run. */
function signalAll(
  network: FleetNetwork,
  programs: readonly DatabaseProgram[],
  signal: 'SIGSTOP' | 'SIGCONT',
): void {
  for (const program of programs)
    for (const room of databaseRooms)
      if (databaseRuns(network, room, program)) signalProgram(network, room, program, signal);
}

/** The Sentinels are halted, so Redis itself is asked. */
async function masterHeld(network: FleetNetwork): Promise<'db1'> {
  if (!(await askRedis(network, 'db1', 'ROLE')).startsWith('master'))
    throw new Error('db1 is not the master: this fault needs databases that were started anew');
  return 'db1';
}

async function configure(network: FleetNetwork, key: string, value: string): Promise<void> {
  await Promise.all(redisRooms.map((room) => askRedis(network, room, 'CONFIG', 'SET', key, value)));
}

/** Packets between a node and the management network vanish, in both directions. */
async function filterManagement(fleet: Fleet, name: FleetNodeName, state: 'cut' | 'whole'): Promise<void> {
  const table = `${tablePrefix}mgmt`;
  const clear = [`add table inet ${table}`, `delete table inet ${table}`];
  const rules = [
    `add table inet ${table}`,
    `add chain inet ${table} in { type filter hook input priority 0; }`,
    `add chain inet ${table} out { type filter hook output priority 0; }`,
    `add rule inet ${table} in iifname "mgmt" drop`,
    `add rule inet ${table} out oifname "mgmt" drop`,
  ];
  const lines = state === 'cut' ? [...clear, ...rules] : clear;
  await fleet.network.run(name, ['nft', '-f', '-'], `${lines.join('\n')}\n`);
}
