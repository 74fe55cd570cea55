/** `geodns`: the service that answers users by DNS and is told of this node's uplinks. */
import { z } from 'zod';
import { absolutePath, duration } from '../fields.ts';
import { bad, leaf, ok } from '../leaf.ts';
import { section } from '../section.ts';

const urlAllowed = 'http://HOST[:PORT] or https://HOST[:PORT], with a path at most';

/** The base of an API. */
const baseUrl = (sentence: string) =>
  leaf(sentence, { type: 'string', pattern: '^https?://' }, (value) => {
    if (typeof value !== 'string' || value.length > 300 || /[\s"\\\p{Cc}]/u.test(value))
      return bad<string>(urlAllowed);
    if (!/^https?:\/\/[^/]/.test(value) || !URL.canParse(value)) return bad<string>(urlAllowed);
    const { username, password, search, hash } = new URL(value);
    if (username !== '' || password !== '') return bad<string>(`${urlAllowed}, without user and password`);
    return search === '' && hash === '' ? ok(value.replace(/\/+$/, '')) : bad<string>(urlAllowed);
  });

export const geodnsSchema = section('geodns', 'The GeoDNS service, which is told of every uplink.', {
  url: baseUrl('Where it listens; the path of its API is added.').optional(),
  urls: z
    .array(baseUrl('One way to it.'), { error: 'a list of URLs' })
    .min(1, { error: 'at least one URL' })
    .max(8, { error: 'at most 8 URLs' })
    .meta({ description: 'Several ways to the same service, the preferred one first.' })
    .optional(),
  token_file: absolutePath("File with this node's token, read at each request.", 'file'),
  ca_file: absolutePath(
    'File with the authorities that are believed; default: those of the system.',
    'file',
  ).optional(),
  ttl: duration('How long resolvers keep its answers: a planned drain waits for it before BGP follows.', {
    min: 0,
    max: 3_600_000,
  }).prefault('30s'),
  deadline: duration('A planned drain waits no longer than this, told or not.', {
    min: 0,
    max: 7_200_000,
  }).prefault('60s'),
  heartbeat: duration('How often all of it is told again.', { min: 1000, max: 300_000 }).prefault('10s'),
  timeout: duration('For each request.', { min: 50, max: 30_000 }).prefault('2s'),
}).optional();
