/** Takes every fault of the network away, whoever applied it. */
import type { Network } from '../network/network.ts';
import { mendDelays } from './delay.ts';
import { mendLinks } from './link.ts';
import { mendPacketFilters } from './packet-filter.ts';

/** Filters, delays and links; what runs on the node is brought back by its own module. */
export async function mendEverything(network: Network): Promise<void> {
  await Promise.all([mendPacketFilters(network), mendDelays(network), mendLinks(network)]);
}
