/** What planted bugs do to nodes, edges and databases, from outside the product. */
import { readFileSync } from 'node:fs';
import { pushSnapshot } from '../../edge/push.ts';
import { edgeSnapshot } from '../../src/types/wire/node-to-edge.ts';
import type { FleetNode } from '../fleet/fleet.ts';
import { databaseAddress } from '../fleet/layout.ts';
import { run } from '../network/command.ts';
import { inside } from '../network/inside.ts';
import type { CarrierName, FleetNodeName } from '../network/names.ts';
import { readPidFile, signalProcess } from '../network/process.ts';
import { askNodeBird } from '../node/bird.ts';
import { nodeFiles } from '../node/config.ts';
import { daemonPidFile } from '../node/program.ts';
import { askedName, zone } from './geodns.ts';
import { powerDnsApiPort, powerDnsKey } from './power-dns.ts';
import type { World } from './world.ts';

/** One command to every node's BIRD at once. */
export async function onAll(world: World, command: string): Promise<void> {
  const first = world.nodes.map((node) => askNodeBird(world.node(node).lab.network, command));
  await Promise.all(first);
}

/** Halts a node's daemon or lets it go on. */
export function signalDaemon(world: World, node: FleetNodeName, word: 'SIGSTOP' | 'SIGCONT'): void {
  const ref = readPidFile(daemonPidFile(world.node(node).lab.network));
  if (ref !== null) signalProcess(ref, word);
}

/** Of the name that the run asks for, at the primary. */
export async function deleteRecords({ fleet: { network } }: World): Promise<void> {
  const rrsets = ['LUA', 'A', 'AAAA'].map((type) => ({ name: `${askedName}.`, type, changetype: 'DELETE' }));
  const url = `http://${databaseAddress('db1')}:${powerDnsApiPort}/api/v1/servers/localhost/zones/${zone}.`;
  await run(
    'ip',
    inside(network.namespace('db1'), [
      'curl',
      '-sSf',
      '-X',
      'PATCH',
      '-H',
      `X-API-Key: ${powerDnsKey}`,
      '-d',
      JSON.stringify({ rrsets }),
      url,
    ]),
  );
}

/** What the edge was told last, with the node's own uplink down in it, to be believed for a minute. */
export async function mislead({ plan, lab }: FleetNode, carrier: CarrierName): Promise<void> {
  const { edge } = nodeFiles(lab.network);
  const told = edgeSnapshot.parse(JSON.parse(readFileSync(edge.file, 'utf8')));
  const own = told.nodes[plan.name];
  if (own === undefined) throw new Error(`the edge of ${plan.name} knows nothing of it`);
  const uplinks = Object.entries(own.uplinks).map(([name, uplink]) => {
    const families =
      uplink.carrier === carrier ? { '4': { up: false }, '6': { up: false } } : uplink.families;
    return [name, { ...uplink, families }] as const;
  });
  const result = await pushSnapshot(edge.socket, {
    ...told,
    // A push that was under way may be one ahead of the file.
    seq: told.seq + 2,
    generatedAt: new Date().toISOString(),
    ttlMillis: 60_000,
    nodes: { ...told.nodes, [plan.name]: { ...own, uplinks: Object.fromEntries(uplinks) } },
  });
  if (result.kind !== 'taken') throw new Error(`the edge of ${plan.name}: ${result.kind}`);
}
