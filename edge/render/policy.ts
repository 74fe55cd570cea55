/** `edge.json`: what the Lua modules read at start. Only data; field names are those of edge/lua/edge/init.lua. */
import { isIP } from 'node:net';
import type { EdgeConfig, LimitConfig, LocationConfig } from '../conf/schema.ts';
import type { Prefix } from '../conf/values.ts';
import { hexBytes } from '../networks/compile.ts';

/** Identity of a location in `edge.json` and in its access_by_lua call. */
export function routeId(server: string, index: number): string {
  return `${server}.${index}`;
}

/** The config for Lua. Same input, same output. */
export function renderPolicy(config: EdgeConfig): Record<string, unknown> {
  return {
    schema: 1,
    node: config.node,
    host: config.host,
    loopId: `${config.node}.causeway`,
    steered: Object.values(config.servers).flatMap((server) => server.names),
    geo: { asn: config.geo.asn, country: config.geo.country, checkSeconds: config.geo.check / 1000 },
    stateFile: config.paths.state,
    trusted: config.trusted.proxies.map((one) => prefixEntry(one, true)),
    redirects: config.steering.redirects,
    shadow: config.steering.shadow,
    rateLimitHeaders: config.ratelimit_headers,
    redis: config.redis ? renderRedis(config.redis) : undefined,
    geodns: config.geodns ? renderGeoDns(config.geodns) : undefined,
    uplinks: mapValues(config.uplinks, ({ source }) =>
      Object.fromEntries(source.map((address) => [String(isIP(address)), address])),
    ),
    limits: mapValues(config.limits, renderLimit),
    origins: mapValues(config.origins, (origin) => ({
      fallback: origin.servers,
      tries: origin.tries,
      connectSeconds: origin.connect / 1000,
      readSeconds: origin.read / 1000,
    })),
    routes: Object.fromEntries(
      Object.entries(config.servers).flatMap(([name, server]) =>
        server.locations.map((location, index) => [routeId(name, index), renderRoute(location, config)]),
      ),
    ),
  };
}

function renderRoute(location: LocationConfig, config: EdgeConfig): Record<string, unknown> {
  const scheme = config.steering.scheme === 'same' ? undefined : config.steering.scheme;
  return { steer: location.steer, limits: location.limits, pool: location.origin, scheme };
}

function renderLimit(limit: LimitConfig): Record<string, unknown> {
  return {
    rate: limit.rate,
    burst: limit.burst,
    key: limit.key,
    wide: limit.key.some((part) => part.kind === 'client-wide' || part.kind === 'asn'),
    scope: limit.scope,
    cost: limit.cost,
    fail: limit.fail,
    shadow: limit.shadow,
    classes: limit.classes.map((one) => ({
      ...one,
      prefixes: one.prefixes.map((prefix) => prefixEntry(prefix, true)),
    })),
  };
}

/** Redis as the Lua client wants it. The pool's name holds user and database: a connection never changes hands. */
function renderRedis(redis: NonNullable<EdgeConfig['redis']>): Record<string, unknown> {
  const place = redis.socket ?? `${redis.address?.host}:${redis.address?.port}`;
  return {
    host: redis.address && hostWord(redis.address.host),
    port: redis.address?.port,
    path: redis.socket,
    sentinel: redis.sentinel && {
      addresses: redis.sentinel.addresses.map(({ host, port }) => ({ host: hostWord(host), port })),
      master: redis.sentinel.master,
      user: redis.sentinel.user,
      passwordFile: redis.sentinel.password_file,
    },
    user: redis.user,
    passwordFile: redis.password_file,
    database: redis.database,
    tls: redis.tls?.name,
    connectMillis: redis.connect,
    replyMillis: redis.reply,
    idleMillis: redis.idle,
    pool: `edge:${place}:${redis.user ?? ''}:${redis.database}`,
  };
}

/** An address as a socket is told it. */
function hostWord(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** GeoDNS as edge/lua/edge/summary.lua wants it. */
function renderGeoDns(geodns: NonNullable<EdgeConfig['geodns']>): Record<string, unknown> {
  const { host, port } = geodns.address;
  return {
    host: host.includes(':') ? `[${host}]` : host,
    port,
    tls: geodns.tls?.name,
    tokenFile: geodns.token_file,
    everySeconds: geodns.every / 1000,
    timeoutMillis: geodns.timeout,
  };
}

function prefixEntry(prefix: Prefix, value: true): readonly [string, number, true] {
  return [hexBytes(prefix.bytes), prefix.length, value];
}

function mapValues<T, U>(of: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
}
