/** The `fleet` section of a node at a bench's own Redis: all may leave, so that no budget stands in a measurement's way. */
import type { FleetConfig } from '../src/types/fleet-config.ts';
import { millis } from '../src/types/units.ts';

export function fleetConfigAt(port: number): FleetConfig {
  return {
    way: { kind: 'single', host: '127.0.0.1', port, db: 0 },
    user: null,
    passwordFile: null,
    ordersKeyFile: null,
    tls: null,
    prefix: 'causeway',
    publishMillis: millis(500),
    expireMillis: millis(60_000),
    soakMillis: millis(0),
    token: { lifeMillis: millis(10_000), nodes: 1000, windowMillis: millis(60_000) },
    perSite: false,
  };
}
