/** Delay and jitter on forwarded traffic, by the TUN relay (`relay.ts`) and policy rules in the carrier's namespace. */
import { join } from 'node:path';
import { families, type Family } from '../../src/types/units.ts';
import { carrierPlan } from '../network/addresses.ts';
import { ipBatch, tryRun } from '../network/command.ts';
import { carrierNames, type CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';
import { compiledProgram, startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import {
  describeWhere,
  directionsOf,
  familiesOf,
  farPrefixes,
  linksOf,
  type Fault,
  type Where,
} from './fault.ts';

const table = 99;
/** Preference of the rules; the local table comes before, so the carrier's own addresses are never delayed. */
const preference = 50;

/** Adds `delayMillis` ± `jitterMillis` once to each packet of the direction; `both` adds it twice to a round trip. */
export function delay(where: Where, delayMillis: number, jitterMillis = 0): Fault {
  const jitter = jitterMillis === 0 ? '' : ` ± ${jitterMillis}`;
  return {
    title: `+${delayMillis}${jitter} ms behind ${describeWhere(where)}`,
    async apply(network) {
      await mendDelay(network, where.carrier);
      await startRelay(network, where.carrier, delayMillis, jitterMillis);
      const namespace = network.namespace(where.carrier);
      for (const family of familiesOf(where)) await ipBatch(namespace, ruleLines(where, family), family);
    },
    mend: (network) => mendDelay(network, where.carrier),
  };
}

/** Takes the relays of all carriers away. */
export async function mendDelays(network: Network): Promise<void> {
  await Promise.all(carrierNames.map((carrier) => mendDelay(network, carrier)));
}

async function startRelay(
  network: Network,
  carrier: CarrierName,
  delayMillis: number,
  jitterMillis: number,
): Promise<void> {
  const device = relayDevice;
  await startIn({
    namespace: network.namespace(carrier),
    argv: [
      process.execPath,
      compiledProgram('lab/faults/relay'),
      device,
      String(delayMillis),
      String(jitterMillis),
    ],
    log: join(network.folder, `relay-${carrier}.log`),
    pidFile: relayPidFile(network, carrier),
  });
  await waitUntil(`the relay behind ${carrier}`, async () => {
    const link = await tryRun('ip', ['-n', network.namespace(carrier), 'link', 'show', device]);
    return link.exitCode === 0;
  });
  await ipBatch(network.namespace(carrier), [
    `link set ${device} up txqueuelen 5000`,
    `route add 0.0.0.0/0 dev ${device} table ${table}`,
    `route add ::/0 dev ${device} table ${table}`,
  ]);
}

const relayDevice = 'relay0';

function relayPidFile(network: Network, carrier: CarrierName): string {
  return join(network.folder, `relay-${carrier}.pid`);
}

/** What comes from the relay has it as incoming interface, matches no rule, and is routed on by the main table. */
function ruleLines(where: Where, family: Family): readonly string[] {
  const plan = carrierPlan(where.carrier);
  const far = farPrefixes(where, family);
  const sides = far.length === 0 ? [family === 4 ? '0.0.0.0/0' : '::/0'] : far;
  return directionsOf(where).flatMap((direction) =>
    sides.flatMap((side) => {
      if (direction === 'out') return linksOf(where).map((link) => rule(`to ${side} iif ${link}`));
      return plan.legs.map((leg) => rule(`from ${side} to ${plan.linkPrefix[family]} iif ${leg.carrierEnd}`));
    }),
  );
}

function rule(match: string): string {
  return `rule add pref ${preference} ${match} lookup ${table}`;
}

async function mendDelay(network: Network, carrier: CarrierName): Promise<void> {
  await Promise.all(
    families.map(async (family) => {
      const where = [
        '-n',
        network.namespace(carrier),
        `-${family}`,
        'rule',
        'del',
        'pref',
        String(preference),
      ];
      while ((await tryRun('ip', where)).exitCode === 0);
    }),
  );
  await stopPidFile(relayPidFile(network, carrier), 'SIGKILL');
}
