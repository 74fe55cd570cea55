/**
 * Bugs planted on purpose, from outside the product: each does what a bug of the product would have done, and breaks one
 * invariant. The run's facts know nothing of them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askNodeBird } from '../node/bird.ts';
import { nodeFiles } from '../node/config.ts';
import type { InvariantName } from './breach.ts';
import { signalGeoDns } from './geodns.ts';
import { deleteRecords, mislead, onAll, signalDaemon } from './plant-deeds.ts';
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
      signalDaemon(world, 'hk1', 'SIGSTOP');
      await pause(30_000);
      signalDaemon(world, 'hk1', 'SIGCONT');
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
  {
    name: 'edge-misled',
    text: 'an edge is told that its own uplink is down, and not that the other node lost the same carrier',
    breaks: 'edge',
    faults: [dead],
    durationMillis: 36_000,
    async beside(world) {
      signalDaemon(world, 'hk2', 'SIGSTOP');
      await mislead(world.node('hk2'), 'cmi');
      await pause(34_000);
      signalDaemon(world, 'hk2', 'SIGCONT');
    },
  },
  {
    name: 'stays-away',
    text: 'what was withdrawn is never announced again',
    breaks: 'returns',
    faults: [],
    durationMillis: 4000,
    async beside(world) {
      await askNodeBird(world.node('hk1').lab.network, 'disable announce_hkbn_web4');
    },
    async beforeRecords(world) {
      await askNodeBird(world.node('hk1').lab.network, 'enable announce_hkbn_web4');
    },
  },
];

export function plantNamed(name: string): Plant {
  const found = plants.find((one) => one.name === name);
  if (found === undefined)
    throw new RangeError(`no plant \`${name}\`: ${plants.map((one) => one.name).join(', ')}`);
  return found;
}
