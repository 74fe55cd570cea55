/** `causeway-geodns` as a process of its own in the first database's room, told by every node of the lab. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { FleetNetwork } from '../fleet/network.ts';
import { databaseAddress } from '../fleet/layout.ts';
import { run } from '../network/command.ts';
import { inside } from '../network/inside.ts';
import { carrierNames, databaseRooms, type FleetNodeName } from '../network/names.ts';
import {
  compiledProgram,
  readPidFile,
  repositoryRoot,
  signalProcess,
  startIn,
  stopPidFile,
} from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { answerAddress } from './addresses.ts';
import { dnsFolder, mmdbFiles, powerDnsApiPort, powerDnsKey } from './power-dns.ts';

export const zone = 'geo.test';
export const askedName = `www.${zone}`;
export const geodnsUrl = `http://${databaseAddress('db1')}:8053`;

/** Users that are asked for: one of no known network, and one for each carrier's first choice. */
export const clients: readonly string[] = ['73.1.1.0/24', '120.196.1.0/24', '36.96.1.0/24', '175.136.1.0/24'];

export function tokenFile(network: FleetNetwork, node: FleetNodeName): string {
  return join(dnsFolder(network), `${node}.token`);
}

/** Writes what the service and the nodes read. */
export function writeGeoDns(network: FleetNetwork, nodes: readonly FleetNodeName[]): void {
  const at = (name: string): string => join(dnsFolder(network), name);
  mkdirSync(at('state'), { recursive: true });
  copyFileSync(join(repositoryRoot(), 'networks.yaml'), at('networks.yaml'));
  const tokens = nodes.map((node) => {
    const token = `token-of-node-${node}`;
    writeFileSync(tokenFile(network, node), `${token}\n`, { mode: 0o600 });
    return { name: node, role: 'node', node, sha256: createHash('sha256').update(token).digest('hex') };
  });
  writeFileSync(at('tokens.yaml'), stringify({ tokens }), { mode: 0o600 });
  writeFileSync(at('pdns.key'), powerDnsKey, { mode: 0o600 });
  writeFileSync(at('rules.yaml'), stringify(rulesOf(nodes)));
  writeFileSync(
    at('geodns.yaml'),
    stringify({
      listen: `${databaseAddress('db1')}:8053`,
      state: at('state'),
      rules: at('rules.yaml'),
      networks: at('networks.yaml'),
      mmdb: mmdbFiles(network),
      tokens_file: at('tokens.yaml'),
      sites: databaseRooms.map((room) => ({
        name: room,
        api: `http://${databaseAddress(room)}:${powerDnsApiPort}`,
        key_file: at('pdns.key'),
        dns: `${databaseAddress(room)}:53`,
      })),
    }),
  );
}

/** The guard against many at once is wide open: what nodes say is what is judged here. */
function rulesOf(nodes: readonly FleetNodeName[]) {
  const targets = nodes.flatMap((node) =>
    carrierNames.map((carrier) => [
      `${node}/${carrier}`,
      { v4: [answerAddress(node, carrier, 4)], v6: [answerAddress(node, carrier, 6)] },
    ]),
  );
  return {
    version: 1,
    zone,
    nameservers: [`ns1.${zone}`, `ns2.${zone}`, `ns3.${zone}`],
    hostmaster: `hostmaster.${zone}`,
    ttl: '30s',
    targets: Object.fromEntries(targets),
    pools: {
      all: { targets: ['*/cmi', '*/pccw', '*/hkbn'] },
      ...Object.fromEntries(carrierNames.map((carrier) => [carrier, { targets: [`*/${carrier}`] }])),
    },
    policies: {
      cdn: {
        service: 'web',
        default: ['all'],
        rules: [
          { networks: ['cm'], use: ['cmi', 'pccw'] },
          { networks: ['ct', 'cu'], countries: ['CN'], use: ['pccw', 'cmi'] },
          { asns: [4788], use: ['hkbn'] },
        ],
      },
    },
    names: { www: 'cdn' },
    guards: { max_removed: '100%', window: '1s', stale_after: '60s' },
  };
}

/** Starts it if it does not run, and waits until it answers. */
export async function startGeoDnsService(network: FleetNetwork): Promise<void> {
  if (readPidFile(pidFile(network)) === null)
    await startIn({
      namespace: network.namespace('db1'),
      argv: [
        process.execPath,
        compiledProgram('geodns/main'),
        'run',
        '-c',
        join(dnsFolder(network), 'geodns.yaml'),
      ],
      log: join(dnsFolder(network), 'geodns.log'),
      pidFile: pidFile(network),
    });
  await waitUntil(
    `causeway-geodns to answer (log: ${join(dnsFolder(network), 'geodns.log')})`,
    async () => {
      if (readPidFile(pidFile(network)) === null) throw new Error('it ended');
      const where = inside(network.namespace('db1'), ['curl', '-sSf', '-m', '2', `${geodnsUrl}/healthz`]);
      return (await run('ip', where)) !== '';
    },
    { timeoutMillis: 60_000, everyMillis: 200 },
  );
}

export async function killGeoDns(network: FleetNetwork): Promise<void> {
  await stopPidFile(pidFile(network), 'SIGKILL');
}

export function signalGeoDns(network: FleetNetwork, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const ref = readPidFile(pidFile(network));
  if (ref !== null) signalProcess(ref, signal);
}

function pidFile(network: FleetNetwork): string {
  return join(network.folder, 'geodns.pid');
}
