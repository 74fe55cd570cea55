/** The form of `rules.yaml`. What the form cannot say (names that must exist, rules that never act) is in `lint.ts`. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { parseSubnet } from '../address.ts';
import { continentCodes, isCountry, isSubdivision } from './places.ts';

const name = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,30}$/,
    'must be a name of small letters, digits and hyphens, at most 31 characters',
  );
const hostName = z
  .string()
  .max(253)
  .regex(
    /^(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*\.?$/,
    'must be a domain name in small letters such as geo.example.com',
  );
const label = z
  .string()
  .regex(
    /^(?:@|(?:\*|[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*)$/,
    'must be @, a name inside the zone in small letters, or one that begins with *.',
  );

/** `30s`, `5min`, `1h` → milliseconds. */
const duration = z
  .string()
  .regex(/^\d{1,6}(?:ms|s|min|h)$/, 'must be a duration with its unit: 500ms, 30s, 5min or 1h')
  .transform((text) => {
    const unit = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 }[text.replace(/^\d+/, '')] ?? 1;
    return Number.parseInt(text, 10) * unit;
  });
const percent = z
  .string()
  .regex(/^\d{1,3}(?:\.\d+)?%$/, 'must be a percentage with its sign, such as 50%')
  .transform((text) => Number.parseFloat(text) / 100)
  .refine((share) => share > 0 && share <= 1, 'must be above 0% and at most 100%');

const address = (family: 4 | 6): z.ZodType<string> =>
  z.string().refine((text) => usable(text, family), `must be an IPv${family} address that users can reach`);
const country = z.string().refine(isCountry, 'must be an ISO 3166 country code in capitals');
const asNumber = z.int().min(1).max(4294967295);
/** `hk1/cmi`, or with `*` for either part. */
const targetGlob = z
  .string()
  .regex(
    /^(?:\*|[a-z][a-z0-9-]{0,62})\/(?:\*|[a-z][a-z0-9-]{0,62})$/,
    'must be node/uplink, * allowed for either',
  );
const subnet = z.string().refine((text) => parseSubnet(text) !== undefined, {
  message: 'must be a prefix without host bits, such as 192.0.2.0/24 or 2001:db8::/32',
});

const target = z.strictObject({
  v4: z.array(address(4)).min(1).optional(),
  v6: z.array(address(6)).min(1).optional(),
  carrier: name.optional(),
  weight: z.int().min(0).max(1000).default(1),
});

const rule = z.strictObject({
  subnets: z.array(subnet).min(1).optional(),
  asns: z.array(asNumber).min(1).optional(),
  networks: z.array(z.string()).min(1).optional(),
  countries: z.array(country).min(1).optional(),
  subdivisions: z
    .array(z.string().refine(isSubdivision, 'must be an ISO 3166-2 code such as CN-GD'))
    .min(1)
    .optional(),
  regions: z.array(z.string()).min(1).optional(),
  continents: z.array(z.enum(continentCodes)).min(1).optional(),
  use: z.array(z.string()).min(1),
  note: z.string().max(200).optional(),
});

export const rulesFile = z.strictObject({
  version: z.literal(1),
  zone: hostName,
  nameservers: z.array(hostName).min(1),
  hostmaster: hostName,
  ttl: duration
    .refine((value) => value >= 5000 && value <= 3_600_000, 'must be from 5s to 1h')
    .default(30_000),
  regions: z.record(name, z.array(country).min(1)).default({}),
  targets: z.record(
    z.string().regex(/^[a-z][a-z0-9-]{0,62}\/[a-z][a-z0-9-]{0,62}$/, 'must be node/uplink, such as hk1/cmi'),
    target,
  ),
  pools: z.record(
    name,
    z.strictObject({
      targets: z.array(targetGlob).min(1),
      min_healthy: z.int().min(1).max(1000).default(1),
      pick: z.enum(['all', 'weighted']).default('all'),
    }),
  ),
  policies: z.record(
    name,
    z.strictObject({
      service: name.optional(),
      default: z.array(z.string()).min(1),
      /** For each carrier the pool that it stands for: adds a rule for each access network, in its order of carriers. */
      carrier_pools: z.record(name, z.string()).optional(),
      rules: z.array(rule).default([]),
    }),
  ),
  names: z.record(label, z.string()),
  guards: z
    .strictObject({
      max_removed: percent.prefault('50%'),
      window: duration.prefault('30s'),
      stale_after: duration.prefault('60s'),
    })
    .prefault({}),
});
export type RulesFile = z.output<typeof rulesFile>;
export type RuleEntry = z.output<typeof rule>;

function usable(text: string, family: 4 | 6): boolean {
  const valid =
    family === 4 ? ipaddr.IPv4.isValidFourPartDecimal(text) : text.includes(':') && ipaddr.IPv6.isValid(text);
  if (!valid || text.includes('%')) return false;
  const range = ipaddr.parse(text).range();
  return !['unspecified', 'multicast', 'broadcast', 'linkLocal', 'ipv4Mapped'].includes(range);
}
