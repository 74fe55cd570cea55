/** `fleet`: the Redis through which nodes meet, and how long its words hold. */
import { z } from 'zod';
import type { HostPort } from '../../types/fleet-config.ts';
import { parseIp } from '../addresses.ts';
import { absolutePath, duration, text, wholeNumber, yesOrNo } from '../fields.ts';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';
import { section } from '../section.ts';

/** What `fleet.redis` names. */
export interface RedisAddress extends HostPort {
  readonly db: number;
  readonly tls: boolean;
}

const urlAllowed =
  'redis://HOST:PORT or rediss://HOST:PORT (TLS), with /N for a database: "redis://10.0.0.5:6379/0"';

const redisUrl = leaf(
  'The one Redis of the fleet: redis://HOST:PORT/DB, or rediss:// for TLS.',
  { type: 'string', pattern: '^rediss?://' },
  parseRedisUrl,
);

const sentinelNode = leaf(
  'Address and port of a Sentinel.',
  { type: 'string' },
  (value): Parsed<HostPort> => parseHostPort(value, 26_379),
);

export const sentinelSchema = section('fleet.sentinel', 'The Sentinels that know the master.', {
  master: text('Name of the master, as the Sentinels know it.', /^[\w.-]{1,64}$/, 'a name without blanks'),
  nodes: z
    .array(sentinelNode, { error: 'a list of Sentinels, such as ["10.0.0.5:26379"]' })
    .min(1, { error: 'at least one Sentinel' })
    .max(32, { error: 'at most 32 Sentinels' })
    .meta({ description: 'The Sentinels; any of them is enough, three are usual.' }),
  password_file: absolutePath(
    'File with the password of the Sentinels themselves, where they ask for one.',
    'file',
  ).optional(),
});

export const fleetSchema = section(
  'fleet',
  'The other nodes: presence, consent to leave, fleet-wide freeze. Without it this node stands alone.',
  {
    redis: redisUrl.optional(),
    sentinel: sentinelSchema.optional(),
    user: text(
      "User of Redis's ACL; default: its default user.",
      /^[^\s\p{Cc}"]{1,64}$/u,
      'a user name without blanks and quotes',
    ).optional(),
    password_file: absolutePath('File with the password, read at each connection.', 'file').optional(),
    orders_key_file: absolutePath(
      'File with the key that orders to the whole fleet are sealed with, the same on every node. Without it none of them takes the last announcement of a service from another node.',
      'file',
    ).optional(),
    tls: section('fleet.tls', 'TLS to Redis, and to the Sentinels.', {
      ca_file: absolutePath(
        'File with the authorities that are believed; default: those of the system.',
        'file',
      ).optional(),
    }).optional(),
    prefix: text(
      'What the keys and the channel in Redis begin with.',
      /^[A-Za-z0-9][A-Za-z0-9:_-]{0,63}$/,
      'up to 64 letters, digits or : _ -',
    ).prefault('causeway'),
    publish: duration('Longest time between two publications of what this node does.', {
      min: 100,
      max: 10_000,
    }).prefault('500ms'),
    expire: duration('A node that was silent for this long is unknown.', {
      min: 1000,
      max: 120_000,
    }).prefault('5s'),
    soak: duration(
      'After `causeway apply` on one node the others refuse to apply for this long; 0s: never.',
      {
        min: 0,
        max: 86_400_000,
      },
    ).prefault('10min'),
    token: section('fleet.token', 'Consent to leave.', {
      life: duration('How long a consent holds without being renewed.', {
        min: 2000,
        max: 600_000,
      }).prefault('10s'),
      nodes: wholeNumber('Nodes that may leave a service within the window.', {
        min: 1,
        max: 1000,
      }).prefault(1),
      window: duration('The window.', { min: 1000, max: 86_400_000 }).prefault('60s'),
    }).prefault({}),
    per_site: yesOrNo("true: guards.keep_nodes must also be met within this node's own site.").prefault(
      false,
    ),
  },
).optional();

function parseRedisUrl(value: unknown): Parsed<RedisAddress> {
  if (typeof value !== 'string' || value.length > 300) return bad(urlAllowed);
  const match = /^(rediss?):\/\/([^\s"/?#]+)(?:\/(\d{1,5})?)?$/.exec(value);
  if (match === null) return bad(urlAllowed);
  const [, scheme, authority = '', db = '0'] = match;
  if (authority.includes('@'))
    return bad('a URL without user and password: they belong into fleet.user and fleet.password_file');
  const place = parseHostPort(authority, 6379);
  if (place.kind === 'bad') return bad(urlAllowed);
  return ok({ ...place.value, db: Number(db), tls: scheme === 'rediss' });
}

function parseHostPort(value: unknown, defaultPort: number): Parsed<HostPort> {
  const allowed = `HOST:PORT, such as "10.0.0.5:${defaultPort}" or "[2001:db8::5]:${defaultPort}"`;
  const match = typeof value === 'string' ? /^(?:\[([^[\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) : null;
  if (match === null) return bad(allowed);
  const [, six, host = six ?? '', port = String(defaultPort)] = match;
  const isName = /^[A-Za-z0-9]([A-Za-z0-9-]{0,62})(\.[A-Za-z0-9][A-Za-z0-9-]{0,62})*\.?$/.test(host);
  const isNumeric = /^[\d.]+$/.test(host);
  const fits = six !== undefined || isNumeric ? parseIp(host) !== null : isName;
  const number = Number(port);
  return fits && number >= 1 && number <= 65_535 ? ok({ host, port: number }) : bad(allowed);
}
