/**
 * Bugs planted on purpose, from outside the product: each does what a bug of the product would have done, and breaks one
 * invariant. The run's facts know nothing of them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseAddress } from '../fleet/layout.ts';
import { run } from '../network/command.ts';
import { inside } from '../network/inside.ts';
import { readPidFile, signalProcess } from '../network/process.ts';
import { askNodeBird } from '../node/bird.ts';
import { nodeFiles } from '../node/config.ts';
import { daemonPidFile } from '../node/program.ts';
import type { InvariantName } from './breach.ts';
import { askedName, signalGeoDns, zone } from './geodns.ts';
import { powerDnsApiPort, powerDnsKey } from './power-dns.ts';
import type { Planned } from './schedule.ts';
import type { World } from './world.ts';

export interface Plant {
  readonly name: string;
  /** What it stands for. */
  readonly text: string;
  readonly breaks: InvariantName;
  /** Faults that the bug is seen in. */
  readonly faults: readonly Planned[];
  readonly durationMillis: number;
  readonly beside?: (world: World) => Promise<void>;
  readonly beforeRecords?: (world: World) => Promise<void>;
}

const dead: Planned = {
  fault: { kind: 'uplink-dead', node: 'hk1', carrier: 'cmi', family: 'both', direction: 'both' },
  startMillis: 2000,
  lastsMillis: 30_000,
};

export const plants: readonly Plant[] = [
  {
    name: 'nobody-announces',
    text: 'every node withdraws everywhere at once',
    breaks: 'announcer',
    faults: [],
    durationMillis: 8000,
    async beside(world) {
      await pause(2000);
      await onAll(world, 'disable "announce_*"');
      await pause(4000);
      await onAll(world, 'enable "announce_*"');
    },
  },
  {
    name: 'nobody-withdraws',
    text: 'the verdict is not acted on: the daemon hangs',
    breaks: 'dead',
    faults: [dead],
    durationMillis: 34_000,
    async beside(world) {
      signalDaemon(world, 'SIGSTOP');
      await pause(30_000);
      signalDaemon(world, 'SIGCONT');
    },
  },
  {
    name: 'foreign-prefix',
    text: 'the rendered config has another prefix than the configured one',
    breaks: 'prefixes',
    faults: [],
    durationMillis: 8000,
    async beside(world) {
      await pause(2000);
      const { network } = world.node('hk1').lab;
      const { owned } = nodeFiles(network);
      const right = readFileSync(owned, 'utf8');
      writeFileSync(owned, right.replaceAll('203.0.113.0/24', '203.0.113.0/25'));
      await askNodeBird(network, 'configure');
      await pause(3000);
      writeFileSync(owned, right);
      await askNodeBird(network, 'configure');
    },
  },
  {
    name: 'flapping',
    text: 'an announcement goes and comes again and again',
    breaks: 'budget',
    faults: [],
    durationMillis: 8000,
    async beside(world) {
      await pause(1000);
      for (let turn = 0; turn < 10; turn += 1) {
        await askNodeBird(world.node('hk1').lab.network, 'disable announce_pccw_web4');
        await pause(200);
        await askNodeBird(world.node('hk1').lab.network, 'enable announce_pccw_web4');
        await pause(200);
      }
    },
  },
  {
    name: 'session-reset',
    text: 'a session is restarted to change an announcement',
    breaks: 'sessions',
    faults: [],
    durationMillis: 10_000,
    async beside(world) {
      await pause(2000);
      await askNodeBird(world.node('hk1').lab.network, 'restart bgp_hkbn4');
    },
  },
  {
    name: 'dns-empty',
    text: 'the records of a name are deleted',
    breaks: 'dns',
    faults: [],
    durationMillis: 10_000,
    async beside(world) {
      // The service puts them back; a bug would not stop at one.
      for (let turn = 0; turn < 20; turn += 1) {
        await deleteRecords(world).catch(() => undefined);
        await pause(300);
      }
    },
  },
  {
    name: 'dns-stale',
    text: 'GeoDNS does not take in what nodes tell',
    breaks: 'dns',
    faults: [dead],
    durationMillis: 36_000,
    async beside(world) {
      signalGeoDns(world.fleet.network, 'SIGSTOP');
      await pause(32_000);
      signalGeoDns(world.fleet.network, 'SIGCONT');
    },
  },
  {
    name: 'history-lost',
    text: 'what was done is not written down',
    breaks: 'history',
    faults: [{ ...dead, lastsMillis: 16_000 }],
    durationMillis: 20_000,
    async beforeRecords(world) {
      const folder = join(nodeFiles(world.node('hk1').lab.network).state, 'history');
      for (const name of readdirSync(folder).filter((one) => one.endsWith('.log'))) {
        const lines = readFileSync(join(folder, name), 'utf8').split('\n');
        const kept = lines.filter((line) => !/"kind":"(?:decision|command|read-back)"/.test(line));
        writeFileSync(join(folder, name), kept.join('\n'));
      }
    },
  },
];

export function plantNamed(name: string): Plant {
  const found = plants.find((one) => one.name === name);
  if (found === undefined)
    throw new RangeError(`no plant \`${name}\`: ${plants.map((one) => one.name).join(', ')}`);
  return found;
}

async function onAll(world: World, command: string): Promise<void> {
  const first = world.nodes.map((node) => askNodeBird(world.node(node).lab.network, command));
  await Promise.all(first);
}

function signalDaemon(world: World, word: 'SIGSTOP' | 'SIGCONT'): void {
  const ref = readPidFile(daemonPidFile(world.node('hk1').lab.network));
  if (ref !== null) signalProcess(ref, word);
}

async function deleteRecords({ fleet: { network } }: World): Promise<void> {
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
