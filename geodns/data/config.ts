/** `refresh` of geodns.yaml: where new GeoIP databases come from, what they must be, and how each site gets them. */
import { validateDetailed } from 'node-cron';
import { z } from 'zod';
import { parseAddress } from '../address.ts';
import { percent, spanWithin } from '../quantities.ts';
import { isCountry } from '../rules/places.ts';

const path = z.string().max(500).regex(/^\//, 'must be an absolute path');
const words = z.array(z.string().min(1)).min(1).max(50);
const pair = z.strictObject({ asn: path, country: path });

const source = z
  .strictObject({
    /** A folder in which `asn.mmdb` and `country.mmdb` are put by somebody else. */
    folder: path.optional(),
    urls: z
      .strictObject({
        asn: z.url({ protocol: /^https?$/ }),
        country: z.url({ protocol: /^https?$/ }),
      })
      .optional(),
    /** Writes `asn.mmdb` and `country.mmdb` into the folder that CAUSEWAY_GEOIP_INTO names. */
    command: words.optional(),
  })
  .refine(
    (one) => [one.folder, one.urls, one.command].filter((way) => way !== undefined).length === 1,
    'needs one of folder, urls and command',
  );

const site = z
  .strictObject({
    /** The files that the site's PowerDNS reads, where we can put them there ourselves. */
    files: pair.optional(),
    /** PowerDNS's control socket; it is told to reload. */
    control: path.optional(),
    /** Makes the site read the files: restarts PowerDNS, or brings the files there first. */
    command: words.optional(),
  })
  .refine(
    (one) => (one.control === undefined) !== (one.command === undefined),
    'needs one of control and command, so that PowerDNS reads the new files',
  )
  .refine(
    (one) => one.control === undefined || one.files !== undefined,
    'control reloads what is on this machine, so it needs files',
  );

export const refreshConfig = z.strictObject({
  schedule: z
    .string()
    .refine(
      (text) => text.trim().split(/\s+/).length === 5 && validateDetailed(text).valid,
      'must be a cron pattern of five fields: minute, hour, day of month, month, day of week, such as "30 4 * * 2"',
    )
    .default('30 4 * * 2'),
  timezone: z
    .string()
    .refine(isTimezone, 'must be a time zone of the IANA database, such as Asia/Hong_Kong or UTC')
    .default('UTC'),
  folder: path,
  source,
  check: z
    .strictObject({
      max_age: spanWithin('1d', '365d').prefault('21d'),
      least_size: percent(1).prefault('80%'),
      most_changed: percent(0.1).prefault('5%'),
      sample: z.int().min(100).max(1_000_000).default(20_000),
      canaries: z
        .array(
          z.strictObject({
            ip: z.string().refine((text) => parseAddress(text) !== undefined, 'must be an address'),
            asn: z.int().min(1).optional(),
            country: z.string().refine(isCountry, 'must be an ISO 3166 country code in capitals').optional(),
          }),
        )
        .max(200)
        .default([]),
    })
    .prefault({}),
  /** By the names of `sites`; a site that is not here is left alone and must be brought up to date by hand. */
  sites: z.record(z.string(), site).default({}),
  /** How long a site may take from its order to its first right answer. */
  patience: spanWithin('1s', '30min').prefault('1min'),
});
export type RefreshConfig = z.output<typeof refreshConfig>;
export type RefreshSite = RefreshConfig['sites'][string];

function isTimezone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return false;
  try {
    // It throws for a zone that it does not know.
    new Intl.DateTimeFormat('en-US', { timeZone: text }).format(0);
    return true;
  } catch {
    return false;
  }
}
