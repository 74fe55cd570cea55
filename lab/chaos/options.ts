/** The config of the chaos lab's nodes: that of the fleet's scenarios, with GeoDNS, and an edge on some of them. */
import { fleetOptions } from '../fleet/options.ts';
import type { FleetNetwork } from '../fleet/network.ts';
import type { FleetNodeName } from '../network/names.ts';
import type { NodeOptions } from '../node/config.ts';
import { edgePort } from '../node/edge.ts';
import { geodnsUrl, tokenFile } from './geodns.ts';

/** Nodes with an edge, where so many run. */
export const edgeNodes: readonly FleetNodeName[] = ['hk1', 'hk2'];

/** `keep_nodes` must leave room for one to go. */
export function chaosOptions(network: FleetNetwork, node: FleetNodeName, nodes: number): NodeOptions {
  return {
    ...fleetOptions,
    keepNodes: Math.min(2, nodes - 1),
    geodns: {
      url: geodnsUrl,
      token_file: tokenFile(network, node),
      ttl: '2s',
      deadline: '4s',
      heartbeat: '1s',
      timeout: '1s',
    },
    ...(edgeNodes.includes(node) ? { edge: { host: edgeHost(node), ttl: '5s' } } : {}),
  };
}

export function edgeHost(node: FleetNodeName): string {
  return `${node}.edge.test:${edgePort}`;
}
