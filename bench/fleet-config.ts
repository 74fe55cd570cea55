/** The `fleet` section of a node at a bench's own Redis: all may leave, so that no budget stands in a measurement's way. */
import { fleetConfigAt } from '../lab/fleet/redis-config.ts';
import type { FleetConfig } from '../src/types/fleet-config.ts';
import { millis } from '../src/types/units.ts';

export function roomyFleetAt(port: number): FleetConfig {
  return fleetConfigAt(port, {
    publishMillis: millis(500),
    expireMillis: millis(60_000),
    token: { lifeMillis: millis(10_000), nodes: 1000, windowMillis: millis(60_000) },
  });
}
