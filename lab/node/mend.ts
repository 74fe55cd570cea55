/** Brings back what does not run on the node: BIRD, the daemon. */
import { mendEverything } from '../faults/mend.ts';
import type { Network } from '../network/network.ts';
import { readPidFile } from '../network/process.ts';
import { startNodeBird } from './bird.ts';
import { daemonPidFile, startDaemon } from './program.ts';

/** Every fault of the network taken away, and BIRD and the daemon running. */
export async function mendAll(network: Network): Promise<void> {
  await mendEverything(network);
  await startNodeBird(network);
  if (readPidFile(daemonPidFile(network)) === null) await startDaemon(network);
}
