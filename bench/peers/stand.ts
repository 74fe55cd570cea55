/** One network with three carriers for all tools; the node's BIRD runs Causeway's rendered file, with nobody in charge. */
import { followWire, type WireLog } from '../../lab/carrier/wire-log.ts';
import { type Observer, observeCarriers } from '../../lab/carrier/observer.ts';
import { startCarriers } from '../../lab/carrier/router.ts';
import { mendPacketFilters } from '../../lab/faults/packet-filter.ts';
import { carrierNames, freshLabId, type CarrierName } from '../../lab/network/names.ts';
import { type Network, startNetwork } from '../../lab/network/network.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird, startNodeBird } from '../../lab/node/bird.ts';
import { applyRouting, forgetState, writeNodeConfig, writeOwnedFile } from '../../lab/node/program.ts';

export interface PeerStand {
  readonly network: Network;
  readonly wire: WireLog;
  /** The carriers that hold the IPv4 route now. */
  holders(): Promise<readonly CarrierName[]>;
  /** All faults mended, BIRD running with all announced, and seen so by every carrier. */
  makeReady(): Promise<void>;
  remove(): void;
}

export async function startPeerStand(): Promise<PeerStand> {
  const network = await startNetwork(freshLabId());
  try {
    await startCarriers(network);
    writeNodeConfig(network, { recovery: 'defaults' });
    await applyRouting(network);
    const observer = observeCarriers(network);
    const wire = followWire(network);
    return {
      network,
      wire,
      holders: () => holders(observer),
      async makeReady() {
        await mendPacketFilters(network);
        forgetState(network);
        await writeOwnedFile(network);
        await startNodeBird(network);
        await askNodeBird(network, 'configure');
        await waitUntil(
          'all carriers to hold the route',
          async () => (await holders(observer)).length === 3,
          {
            timeoutMillis: 120_000,
            everyMillis: 100,
          },
        );
      },
      remove() {
        wire.stop();
        observer.close();
        network.remove();
      },
    };
  } catch (error) {
    network.remove();
    throw error;
  }
}

async function holders(observer: Observer): Promise<readonly CarrierName[]> {
  const views = await observer.views();
  return carrierNames.filter((name) => views[name].routes[4] !== null);
}
