/**
 * A real Redis with a replica and three Sentinels, each in a namespace of its own: db1 begins as master, db2 as its
 * replica, and a Sentinel runs in each. Nothing is kept on disk, so a Redis that is killed comes back empty.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../network/command.ts';
import { databaseRooms, type DatabaseRoom } from '../network/names.ts';
import { readPidFile, signalProcess, startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { databaseAddress } from './layout.ts';
import type { FleetNetwork } from './network.ts';

export const masterName = 'causeway';
export const redisPort = 6379;
export const sentinelPort = 26_379;

/** Of the two Redis. */
export type RedisRoom = 'db1' | 'db2';
export const redisRooms: readonly RedisRoom[] = ['db1', 'db2'];

/** What runs in a room of the databases. */
export type DatabaseProgram = 'redis' | 'sentinel';

/** Starts all five anew, empty, and waits until they know of each other. */
export async function startDatabases(network: FleetNetwork): Promise<void> {
  await stopDatabases(network);
  for (const room of databaseRooms) rmSync(folderOf(network, room), { recursive: true, force: true });
  await Promise.all(redisRooms.map((room) => startRedis(network, room)));
  await waitUntil('the replica to follow', async () =>
    (await askRedis(network, 'db2', 'INFO', 'replication')).includes('master_link_status:up'),
  );
  await Promise.all(databaseRooms.map((room) => startSentinel(network, room)));
  await waitUntil(
    'the Sentinels to know of each other',
    async () => {
      const known = await Promise.all(databaseRooms.map((room) => masterFacts(network, room)));
      return known.every(
        (facts) => facts.get('num-other-sentinels') === '2' && facts.get('num-slaves') === '1',
      );
    },
    { timeoutMillis: 60_000, everyMillis: 200 },
  );
}

export async function stopDatabases(network: FleetNetwork): Promise<void> {
  await Promise.all([
    ...redisRooms.map((room) => stopProgram(network, room, 'redis')),
    ...databaseRooms.map((room) => stopProgram(network, room, 'sentinel')),
  ]);
}

/** Starts it if it does not run; with the config that it had, which a Sentinel may have rewritten. */
export async function startRedis(network: FleetNetwork, room: RedisRoom): Promise<void> {
  const folder = folderOf(network, room);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'redis.conf');
  writeNew(config, redisConfig(network, room));
  await startProgram(network, room, 'redis', [config]);
  await waitUntil(`the Redis of ${room} to answer`, async () =>
    (await askRedis(network, room, 'PING')).includes('PONG'),
  );
}

export async function startSentinel(network: FleetNetwork, room: DatabaseRoom): Promise<void> {
  const folder = folderOf(network, room);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'sentinel.conf');
  writeNew(config, sentinelConfig(room, folder));
  await startProgram(network, room, 'sentinel', [config, '--sentinel']);
}

export async function stopProgram(
  network: FleetNetwork,
  room: DatabaseRoom,
  program: DatabaseProgram,
): Promise<void> {
  await stopPidFile(pidFile(network, room, program), 'SIGKILL');
}

/** SIGSTOP halts it where it stands, SIGCONT lets it go on. */
export function signalProgram(
  network: FleetNetwork,
  room: DatabaseRoom,
  program: DatabaseProgram,
  signal: 'SIGSTOP' | 'SIGCONT',
): void {
  const ref = readPidFile(pidFile(network, room, program));
  if (ref === null) throw new Error(`the ${program} of ${room} does not run`);
  signalProcess(ref, signal);
}

export function databaseRuns(network: FleetNetwork, room: DatabaseRoom, program: DatabaseProgram): boolean {
  return readPidFile(pidFile(network, room, program)) !== null;
}

/** Process id, for who measures it; throws when it does not run. */
export function databasePid(network: FleetNetwork, room: DatabaseRoom, program: DatabaseProgram): number {
  const ref = readPidFile(pidFile(network, room, program));
  if (ref === null) throw new Error(`the ${program} of ${room} does not run`);
  return ref.pid;
}

/** One command on the Redis's own Unix socket; what redis-cli prints. */
export async function askRedis(
  network: FleetNetwork,
  room: RedisRoom,
  ...command: readonly string[]
): Promise<string> {
  const text = await run('redis-cli', ['-s', join(folderOf(network, room), 'redis.sock'), ...command], {
    timeoutMillis: 5000,
  });
  return text.trim();
}

export async function askSentinel(
  network: FleetNetwork,
  room: DatabaseRoom,
  ...command: readonly string[]
): Promise<string> {
  const where = ['-h', databaseAddress(room), '-p', String(sentinelPort)];
  return (await network.run(room, ['redis-cli', ...where, ...command])).trim();
}

/** Which of the two the Sentinels call the master. */
export async function masterRoom(network: FleetNetwork): Promise<RedisRoom> {
  const said = await askSentinel(network, 'db3', 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName);
  const room = redisRooms.find((one) => said.startsWith(`${databaseAddress(one)}\n`));
  if (room === undefined) throw new Error(`the Sentinels name a master that the lab does not have: ${said}`);
  return room;
}

/** What a Sentinel says of the master, by name. */
async function masterFacts(network: FleetNetwork, room: DatabaseRoom): Promise<ReadonlyMap<string, string>> {
  const lines = (await askSentinel(network, room, 'SENTINEL', 'MASTER', masterName)).split('\n');
  return new Map(
    lines.flatMap((line, index) => (index % 2 === 0 ? [[line, lines[index + 1] ?? ''] as const] : [])),
  );
}

async function startProgram(
  network: FleetNetwork,
  room: DatabaseRoom,
  program: DatabaseProgram,
  args: readonly string[],
): Promise<void> {
  if (databaseRuns(network, room, program)) return;
  await startIn({
    namespace: network.namespace(room),
    argv: ['redis-server', ...args],
    log: join(folderOf(network, room), `${program}.log`),
    pidFile: pidFile(network, room, program),
  });
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function folderOf(network: FleetNetwork, room: DatabaseRoom): string {
  return join(network.folder, room);
}

function pidFile(network: FleetNetwork, room: DatabaseRoom, program: DatabaseProgram): string {
  return join(network.folder, `${room}-${program}.pid`);
}

function redisConfig(network: FleetNetwork, room: RedisRoom): string {
  const follows = room === 'db2' ? `replicaof ${databaseAddress('db1')} ${redisPort}\n` : '';
  return `bind ${databaseAddress(room)}
port ${redisPort}
unixsocket ${join(folderOf(network, room), 'redis.sock')}
protected-mode no
dir ${folderOf(network, room)}
save ""
appendonly no
repl-diskless-sync yes
repl-diskless-sync-delay 0
repl-ping-replica-period 1
${follows}`;
}

function sentinelConfig(room: DatabaseRoom, folder: string): string {
  return `bind ${databaseAddress(room)}
port ${sentinelPort}
protected-mode no
dir ${folder}
sentinel monitor ${masterName} ${databaseAddress('db1')} ${redisPort} 2
sentinel down-after-milliseconds ${masterName} 2000
sentinel failover-timeout ${masterName} 6000
sentinel parallel-syncs ${masterName} 1
`;
}
