/** `edge`: what the nginx on this node is told, and which origins are probed for it. */
import { z } from 'zod';
import { parseAddress } from '../addresses.ts';
import { duration, text, wholeNumber } from '../fields.ts';
import { leaf } from '../leaf.ts';
import { section } from '../section.ts';

const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** Names of pools as the edge's own config has them. */
const poolName = /^[a-z][a-z0-9-]{0,30}$/;
const mostOrigins = 100;

const originSchema = section('edge.origins.*.*', 'One origin of a pool.', {
  address: leaf('Address of the origin.', { type: 'string' }, parseAddress),
  port: wholeNumber('Port of the origin; the handshake that judges it goes there.', { min: 1, max: 65535 }),
  weight: wholeNumber('Share of the requests; 0: none while it stands so.', { min: 0, max: 10_000 }).prefault(
    1,
  ),
  via: z
    .array(
      text(
        'Name of an uplink.',
        /^[a-z][a-z0-9]{0,14}$/,
        'a list with names of uplinks, such as [cmi, pccw]',
      ),
      { error: 'a list with names of uplinks, such as [cmi, pccw]' },
    )
    .min(1, { error: 'at least one uplink; left out: all that have its family' })
    .meta({ description: 'Uplinks through which it is probed; default: all that have its family.' })
    .optional(),
});

const allowedPool = `a list with 1 to ${mostOrigins} origins`;
const poolsSchema = z
  .record(
    z.string().regex(poolName),
    z
      .array(originSchema, { error: allowedPool })
      .min(1, { error: allowedPool })
      .max(mostOrigins, { error: allowedPool }),
    {
      error: (issue) =>
        issue.code === 'invalid_key'
          ? 'a name for the pool: a small letter, then up to 30 small letters, digits or hyphens'
          : 'a mapping of pools: a name and its origins',
    },
  )
  .refine((pools) => Object.keys(pools).length <= mostOrigins, { error: `at most ${mostOrigins} pools` })
  .meta({ description: "Origins by pool, as the edge's own config names the pools." })
  .prefault({});

export const edgeSchema = section('edge', 'What the edge (nginx) on this node is told.', {
  host: text(
    'Host name of this node alone, to which the edges of other nodes redirect; perhaps with a port.',
    new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*(:[1-9][0-9]{0,4})?$`),
    'a host name in ASCII, such as hk1.edge.example.com',
  ),
  weight: wholeNumber('Share of redirected users among nodes of like score; 0: none come here.', {
    min: 0,
    max: 10_000,
  }).prefault(100),
  ttl: duration('Without a word from the daemon for this long the edge redirects nobody.', {
    min: 3000,
    max: 600_000,
  }).prefault('15s'),
  probe: section('edge.probe', 'How origins are judged: TCP handshakes through each uplink.', {
    interval: duration('Time between two handshakes of an origin through one uplink.', {
      min: 200,
      max: 60_000,
    }).prefault('1s'),
    timeout: duration('A handshake without an answer after this has failed.', {
      min: 50,
      max: 10_000,
    }).prefault('1s'),
    rise: wholeNumber('Handshakes in a row that bring it up.', { min: 1, max: 100 }).prefault(2),
    fall: wholeNumber('Failed ones in a row, over each uplink, that take it down.', {
      min: 1,
      max: 100,
    }).prefault(3),
  }).prefault({}),
  origins: poolsSchema,
}).optional();
