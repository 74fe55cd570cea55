/** What the config says of the fleet, as its decisions use it. */
import type { FleetRules } from '../core/fleet/memory.ts';
import type { NodeConfig } from '../types/config.ts';
import type { FleetConfig } from '../types/fleet-config.ts';

export function fleetRules({ node, guards }: NodeConfig, fleet: FleetConfig): FleetRules {
  return {
    node: node.name,
    site: node.site,
    keepNodes: guards.keepNodes,
    perSite: fleet.perSite,
    expireMillis: fleet.expireMillis,
    lifeMillis: fleet.token.lifeMillis,
    leavers: fleet.token.nodes,
    windowMillis: fleet.token.windowMillis,
  };
}
