/** By which carrier a node serves an access network: edges cannot see it, what nodes have told says it. */
import { availabilityOf, type View } from '../decision/availability.ts';
import type { Networks } from '../networks/load.ts';

/** The first carrier of the network's order that the node has up over IPv4; null: none, or a network without an order. */
export function carrierOf(view: View, networks: Networks, node: string, network: string): string | null {
  const carriers = networks.byName.get(network)?.carriers ?? [];
  const own = [...view.rules.targets.values()].filter((target) => target.node === node);
  const up = carriers.find((carrier) =>
    own.some(
      (target) =>
        target.carrier === carrier &&
        availabilityOf(view, target, { family: 4, country: null, service: null }).state === 'up',
    ),
  );
  return up ?? null;
}
