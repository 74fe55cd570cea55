/** Acts on what nodes share: Redis, PowerDNS, GeoDNS. */
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
} from '../../fleet/databases.ts';
import { databaseRooms, type DatabaseRoom } from '../../network/names.ts';
import type { RedisTrouble } from '../fault.ts';
import { killGeoDns, signalGeoDns, startGeoDnsService } from '../geodns.ts';
import { killSite, signalSite, startSite } from '../power-dns.ts';
import type { World } from '../world.ts';
import { type Act, nothingToMend } from './act.ts';

export function redisStruck(world: World, what: RedisTrouble): Act {
  const { network } = world.fleet;
  switch (what) {
    case 'all-killed':
      return { apply: () => stopDatabases(network), mend: () => startDatabases(network) };
    case 'master-killed':
      return {
        apply: async () => stopProgram(network, await masterRoom(network), 'redis'),
        mend: async () => {
          for (const room of redisRooms) await startRedis(network, room);
        },
      };
    case 'failed-over':
      return {
        apply: async () => {
          await askSentinel(network, 'db1', 'SENTINEL', 'FAILOVER', masterName);
        },
        mend: nothingToMend,
      };
    case 'halted':
      return {
        apply: async () => signalAll(world, 'SIGSTOP'),
        mend: async () => signalAll(world, 'SIGCONT'),
      };
    case 'full':
      return { apply: () => memoryLimit(world, '1'), mend: () => memoryLimit(world, '0') };
    case 'wiped':
      return {
        apply: async () => {
          const master = await masterRoom(network);
          await askRedis(network, master, 'FLUSHALL');
          await askRedis(network, master, 'FUNCTION', 'FLUSH');
          await askRedis(network, master, 'SCRIPT', 'FLUSH');
        },
        mend: nothingToMend,
      };
  }
}

function signalAll({ fleet }: World, word: 'SIGSTOP' | 'SIGCONT'): void {
  const programs: readonly DatabaseProgram[] = ['redis', 'sentinel'];
  for (const program of programs)
    for (const room of databaseRooms)
      if (databaseRuns(fleet.network, room, program)) signalProgram(fleet.network, room, program, word);
}

async function memoryLimit({ fleet }: World, bytes: string): Promise<void> {
  for (const room of redisRooms) await askRedis(fleet.network, room, 'CONFIG', 'SET', 'maxmemory', bytes);
}

export function siteStruck(
  { fleet: { network } }: World,
  site: DatabaseRoom,
  what: 'killed' | 'halted',
): Act {
  if (what === 'killed')
    return { apply: () => killSite(network, site), mend: () => startSite(network, site) };
  return {
    apply: async () => signalSite(network, site, 'SIGSTOP'),
    mend: async () => signalSite(network, site, 'SIGCONT'),
  };
}

export function geodnsStruck({ fleet: { network } }: World, what: 'killed' | 'halted'): Act {
  if (what === 'killed') return { apply: () => killGeoDns(network), mend: () => startGeoDnsService(network) };
  return {
    apply: async () => signalGeoDns(network, 'SIGSTOP'),
    mend: async () => signalGeoDns(network, 'SIGCONT'),
  };
}
