/** `fleet` of the file: one way to Redis, and names for units. */
import type { FleetConfig, RedisWay } from '../types/fleet-config.ts';
import type { ConfigFile } from './schema/root.ts';

/** null: no fleet is configured. Of a file that every rule has passed: one of `redis` and `sentinel` is there. */
export function resolveFleet(fleet: ConfigFile['fleet']): FleetConfig | null {
  if (fleet === undefined) return null;
  const way = wayOf(fleet);
  if (way === null) return null;
  const isTls = fleet.tls !== undefined || fleet.redis?.tls === true;
  return {
    way,
    user: fleet.user ?? null,
    passwordFile: fleet.password_file ?? null,
    ordersKeyFile: fleet.orders_key_file ?? null,
    tls: isTls ? { caFile: fleet.tls?.ca_file ?? null } : null,
    prefix: fleet.prefix,
    publishMillis: fleet.publish,
    expireMillis: fleet.expire,
    soakMillis: fleet.soak,
    token: {
      lifeMillis: fleet.token.life,
      nodes: fleet.token.nodes,
      windowMillis: fleet.token.window,
    },
    perSite: fleet.per_site,
  };
}

function wayOf({ redis, sentinel }: NonNullable<ConfigFile['fleet']>): RedisWay | null {
  if (redis !== undefined) return { kind: 'single', host: redis.host, port: redis.port, db: redis.db };
  if (sentinel === undefined) return null;
  const { master, nodes, password_file: passwordFile } = sentinel;
  return { kind: 'sentinel', master, nodes, passwordFile: passwordFile ?? null };
}
