/** Real PowerDNS in the rooms of the databases: the first is the primary, the others fetch from it by AXFR. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { worldMmdbs } from '../geodns/world.ts';
import { databaseAddress } from '../fleet/layout.ts';
import type { FleetNetwork } from '../fleet/network.ts';
import { run } from '../network/command.ts';
import { databaseRooms, type DatabaseRoom } from '../network/names.ts';
import { readPidFile, signalProcess, startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { digAll } from './dig.ts';

const schemaFile = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';
export const powerDnsApiPort = 8081;
export const powerDnsKey = 'key-of-the-lab';

export function dnsFolder(network: FleetNetwork): string {
  return join(network.folder, 'dns');
}

export function mmdbFiles(network: FleetNetwork): { readonly asn: string; readonly country: string } {
  return { asn: join(dnsFolder(network), 'asn.mmdb'), country: join(dnsFolder(network), 'country.mmdb') };
}

/** Writes databases and starts all sites. */
export async function startPowerDns(network: FleetNetwork): Promise<void> {
  mkdirSync(dnsFolder(network), { recursive: true });
  const world = worldMmdbs();
  const files = mmdbFiles(network);
  writeFileSync(files.asn, world.asn);
  writeFileSync(files.country, world.country);
  await Promise.all(
    databaseRooms.map(async (room) => {
      await writeSite(network, room);
      await startSite(network, room);
    }),
  );
}

/** Starts it if it does not run, and waits until it answers. */
export async function startSite(network: FleetNetwork, room: DatabaseRoom): Promise<void> {
  if (readPidFile(pidFile(network, room)) === null)
    await startIn({
      namespace: network.namespace(room),
      argv: ['pdns_server', `--config-dir=${siteFolder(network, room)}`],
      log: join(siteFolder(network, room), 'pdns.log'),
      pidFile: pidFile(network, room),
    });
  await waitUntil(
    `PowerDNS of ${room} to answer`,
    async () => {
      const [first] = await digAll(network, [{ site: room, name: 'version.bind', type: 'A', subnet: null }]);
      return first !== undefined && first !== 'silent';
    },
    { timeoutMillis: 30_000, everyMillis: 200 },
  );
}

export async function killSite(network: FleetNetwork, room: DatabaseRoom): Promise<void> {
  await stopPidFile(pidFile(network, room), 'SIGKILL');
}

export function signalSite(network: FleetNetwork, room: DatabaseRoom, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const ref = readPidFile(pidFile(network, room));
  if (ref !== null) signalProcess(ref, signal);
}

function siteFolder(network: FleetNetwork, room: DatabaseRoom): string {
  return join(dnsFolder(network), room);
}

function pidFile(network: FleetNetwork, room: DatabaseRoom): string {
  return join(network.folder, `${room}-pdns.pid`);
}

async function writeSite(network: FleetNetwork, room: DatabaseRoom): Promise<void> {
  const folder = siteFolder(network, room);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'empty.yml'), 'domains: []\n');
  writeFileSync(join(folder, 'pdns.conf'), siteConfig(network, room));
  await run('sh', ['-c', 'sqlite3 "$1" < "$2"', 'sh', join(folder, 'zones.sqlite3'), schemaFile]);
}

/** The settings that answers and safety depend on are those of docs/geodns.md. */
function siteConfig(network: FleetNetwork, room: DatabaseRoom): string {
  const folder = siteFolder(network, room);
  const files = mmdbFiles(network);
  const address = databaseAddress(room);
  const others = databaseRooms.filter((one) => one !== 'db1').map((one) => databaseAddress(one));
  return `launch=gsqlite3,geoip
gsqlite3-database=${join(folder, 'zones.sqlite3')}
geoip-database-files=${files.asn} ${files.country}
geoip-zones-file=${join(folder, 'empty.yml')}
local-address=${address}
local-port=53
query-local-address=${address}
edns-subnet-processing=yes
enable-lua-records=shared
lua-records-exec-limit=0
query-cache-ttl=1
negquery-cache-ttl=1
cache-ttl=0
max-queue-length=200000
overload-queue-length=0
primary=yes
secondary=yes
xfr-cycle-interval=5
allow-axfr-ips=10.77.0.0/16
allow-notify-from=10.77.0.0/16
api=yes
api-key=${powerDnsKey}
webserver=yes
webserver-address=${address}
webserver-port=${powerDnsApiPort}
webserver-allow-from=10.77.0.0/16
socket-dir=${folder}
guardian=no
daemon=no
zone-cache-refresh-interval=0
receiver-threads=1
distributor-threads=1
${room === 'db1' ? `also-notify=${others.join(', ')}\n` : ''}`;
}
