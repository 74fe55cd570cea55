/** The edge's one config file, `edge.yaml`: everything that nginx and Lua get is rendered from it. */
import { isIP } from 'node:net';
import { z } from 'zod';
import {
  countPerTime,
  duration,
  filePath,
  hostName,
  ipAddress,
  itemName,
  listen,
  locationPath,
  masterName,
  port,
  prefix,
  rate,
  tokenName,
  uplinkName,
} from './values.ts';

/** `client`, `client-wide`, `route`, `asn`, `network`, `header:NAME` or `cookie:NAME`. */
const keyPart = z.string().transform((text, context) => {
  const [kind, name] = text.split(':', 2);
  if ((kind === 'header' || kind === 'cookie') && tokenName.safeParse(name).success)
    return { kind, name: name ?? '' } as const;
  const plain = z.enum(['client', 'client-wide', 'route', 'asn', 'network']).safeParse(text);
  if (plain.success) return { kind: plain.data } as const;
  context.addIssue({
    code: 'custom',
    message: 'a key is client, client-wide, route, asn, network, header:NAME or cookie:NAME',
  });
  return z.NEVER;
});

const measure = { rate, burst: z.int().min(1).max(1_000_000) };

/** Users behind one address (a carrier's NAT), who get more together than one user does. */
const limitClass = z.strictObject({
  ...measure,
  networks: z.array(z.string().regex(/^[a-z][a-z0-9]{0,14}$/)).default([]),
  asns: z.array(z.int().min(1).max(4294967295)).default([]),
  prefixes: z.array(prefix).default([]),
});

const limit = z.strictObject({
  ...measure,
  key: z.array(keyPart).min(1),
  /** node: counted on each node alone; fleet: on all nodes together, by leases from Redis. */
  scope: z.enum(['node', 'fleet']).default('node'),
  cost: z.int().min(1).max(1000).default(1),
  /** Without an answer (Redis away, zone full): local: this node's share; open: let pass; closed: refuse. */
  fail: z.enum(['local', 'open', 'closed']).default('local'),
  /** Counts what it would refuse, and refuses nothing. */
  shadow: z.boolean().default(false),
  classes: z.array(limitClass).default([]),
});

const origin = z.strictObject({
  /** Used until the daemon has named the pool's origins. */
  servers: z.array(z.strictObject({ address: ipAddress, port })).min(1),
  tls: z.strictObject({ name: hostName, ca: filePath }).optional(),
  tries: z.int().min(1).max(5).default(2),
  connect: duration.default(200),
  read: duration.default(60_000),
  keepalive: z.int().min(1).max(1000).default(32),
});

const location = z.strictObject({
  path: locationPath,
  origin: itemName.optional(),
  root: filePath.optional(),
  steer: z.boolean().default(false),
  limits: z.array(itemName).default([]),
});

const server = z.strictObject({
  /** Names that GeoDNS answers for; users of these may be redirected. */
  names: z.array(hostName).min(1),
  listen: z.array(listen).min(1),
  tls: z.strictObject({ certificate: filePath, key: filePath }).optional(),
  proxyProtocol: z.boolean().default(false),
  locations: z.array(location).min(1),
});

const place = z.strictObject({ host: ipAddress, port });

/** Sentinels name the master; they have accounts of their own. */
const sentinel = z.strictObject({
  addresses: z.array(place).min(1).max(9),
  master: masterName,
  user: tokenName.optional(),
  password_file: filePath.optional(),
});

const redis = z
  .strictObject({
    address: place.optional(),
    socket: filePath.optional(),
    sentinel: sentinel.optional(),
    user: tokenName.optional(),
    password_file: filePath.optional(),
    database: z.int().min(0).max(255).default(0),
    tls: z.strictObject({ name: hostName, ca: filePath }).optional(),
    connect: duration.default(10),
    reply: duration.default(20),
    idle: duration.default(30_000),
  })
  .refine(
    ({ address, socket, sentinel: named }) => [address, socket, named].filter(Boolean).length === 1,
    'one of address, socket and sentinel is needed',
  );

/** Own addresses of an uplink: what leaves from them leaves by it, by the node's policy routing. */
const uplink = z
  .strictObject({ source: z.array(ipAddress).min(1).max(2) })
  .refine(
    ({ source }) => new Set(source.map((one) => isIP(one))).size === source.length,
    'one IPv4 and one IPv6 address at most',
  );

const geodns = z.strictObject({
  address: z.strictObject({ host: ipAddress, port }),
  tls: z.strictObject({ name: hostName, ca: filePath }).optional(),
  /** Of a token with role edge and this node's name. */
  token_file: filePath,
  every: duration.refine((millis) => millis >= 1000, 'at least 1s').default(60_000),
  timeout: duration.default(2000),
});

const zoneBytes = z
  .string()
  .regex(/^\d{1,4}m$/, 'a size in MiB, such as 32m')
  .refine((text) => Number.parseInt(text, 10) > 0, 'a zone needs 1m at least');

/** What a file must look like; see docs/edge.md for each key. */
export const edgeFile = z.strictObject({
  node: itemName,
  /** The terminal host of this node: its own name, own address, never steered. */
  host: hostName,
  networks: filePath,
  geo: z.strictObject({ asn: filePath, country: filePath.optional(), check: duration.default(5000) }),
  paths: z
    .strictObject({ run: filePath, state: filePath })
    .default({ run: '/run/causeway-edge', state: '/run/causeway/edge.json' }),
  /** Proxies in front of us, whose word about the client's address is taken; nobody else's is. */
  trusted: z
    .strictObject({
      proxies: z.array(prefix),
      header: z.enum(['X-Forwarded-For', 'X-Real-IP', 'proxy_protocol']),
    })
    .default({ proxies: [], header: 'X-Forwarded-For' }),
  redis: redis.optional(),
  /** Told what was served, for statistics of all nodes. */
  geodns: geodns.optional(),
  /** Uplinks as the daemon names them; with these, origins are fetched over one that is up. */
  uplinks: z.record(uplinkName, uplink).default({}),
  steering: z
    .strictObject({
      redirects: countPerTime.default({ most: 3, seconds: 60 }),
      scheme: z.enum(['same', 'http', 'https']).default('same'),
      /** Counts whom it would redirect, and redirects nobody. */
      shadow: z.boolean().default(false),
    })
    .default({ redirects: { most: 3, seconds: 60 }, scheme: 'same', shadow: false }),
  ratelimit_headers: z.boolean().default(false),
  zones: z
    .strictObject({
      limits: zoneBytes.default('32m'),
      wide: zoneBytes.default('8m'),
      leases: zoneBytes.default('16m'),
    })
    .default({ limits: '32m', wide: '8m', leases: '16m' }),
  limits: z.record(itemName, limit).default({}),
  origins: z.record(itemName, origin).default({}),
  servers: z
    .record(itemName, server)
    .refine((all) => Object.keys(all).length > 0, 'at least one server is needed'),
});

export type EdgeConfig = z.output<typeof edgeFile>;
export type LimitConfig = EdgeConfig['limits'][string];
export type OriginConfig = EdgeConfig['origins'][string];
export type ServerConfig = EdgeConfig['servers'][string];
export type LocationConfig = ServerConfig['locations'][number];
