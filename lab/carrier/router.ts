/** A carrier's BIRD process inside its namespace. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carrierPlan } from '../network/addresses.ts';
import { carrierNames, type CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';
import { startIn } from '../network/process.ts';
import { carrierConfig, type Neighbour } from './config.ts';

export interface CarrierFiles {
  readonly socket: string;
  /** Every route heard and every state change, with times. */
  readonly log: string;
}

export function carrierFiles(network: Network, name: CarrierName): CarrierFiles {
  return { socket: join(network.folder, `${name}.ctl`), log: join(network.folder, `${name}.log`) };
}

/** Starts the BIRD of all three carriers with the given binary. `neighbours`: of each, where it is not the one node. */
export async function startCarriers(
  network: Network,
  bird = 'bird',
  neighbours?: (name: CarrierName) => readonly Neighbour[],
): Promise<void> {
  await Promise.all(carrierNames.map((name) => startCarrier(network, name, bird, neighbours?.(name))));
}

async function startCarrier(
  network: Network,
  name: CarrierName,
  bird: string,
  neighbours: readonly Neighbour[] | undefined,
): Promise<void> {
  const files = carrierFiles(network, name);
  const config = join(network.folder, `${name}.conf`);
  writeFileSync(config, carrierConfig(carrierPlan(name), files.log, neighbours));
  await startIn({
    namespace: network.namespace(name),
    argv: [bird, '-f', '-c', config, '-s', files.socket],
    log: join(network.folder, `${name}.out`),
    pidFile: join(network.folder, `${name}.pid`),
  });
}
