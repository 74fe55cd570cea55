/** Traffic of users on an uplink: a stream of packets between the node and a carrier's router, until they leave. */
import { join } from 'node:path';
import { carrierPlan } from '../network/addresses.ts';
import type { CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';
import { startIn, stopPidFile } from '../network/process.ts';

function pidFile(network: Network): string {
  return join(network.folder, 'users.pid');
}

/** About 2 Mbit/s in each direction. */
export async function startUsers(network: Network, carrier: CarrierName): Promise<void> {
  const { node, router } = carrierPlan(carrier);
  await startIn({
    namespace: network.namespace('node'),
    argv: ['ping', '-q', '-i', '0.005', '-s', '1200', '-I', node[4], router[4]],
    log: join(network.folder, 'users.log'),
    pidFile: pidFile(network),
  });
}

export async function stopUsers(network: Network): Promise<void> {
  await stopPidFile(pidFile(network), 'SIGTERM');
}
