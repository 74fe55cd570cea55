/** The `fleet` section of a node as the daemon has it, for a Redis that a test or a benchmark started itself. */
import type { FleetConfig } from '../../src/types/fleet-config.ts';
import { millis } from '../../src/types/units.ts';

/** Of one Redis on loopback, with short times. */
export function fleetConfigAt(port: number, more: Partial<FleetConfig> = {}): FleetConfig {
  return {
    way: { kind: 'single', host: '127.0.0.1', port, db: 0 },
    user: null,
    passwordFile: null,
    ordersKeyFile: null,
    tls: null,
    prefix: 'causeway',
    publishMillis: millis(100),
    expireMillis: millis(1000),
    soakMillis: millis(0),
    token: { lifeMillis: millis(2000), nodes: 1, windowMillis: millis(1000) },
    perSite: false,
    ...more,
  };
}
