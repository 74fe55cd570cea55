/** `services`: groups of anycast prefixes that are announced together. */
import { z } from 'zod';
import { choice, prefix } from '../fields.ts';
import { named, section } from '../section.ts';
import { readySchema } from './ready.ts';
import { serviceUplinksSchema } from './service-uplinks.ts';

const allowed = 'a list with at least one prefix';

export const serviceSchema = section('services.*', 'A group of prefixes that are announced together.', {
  prefixes: z
    .array(prefix('An IPv4 or IPv6 prefix without host bits.'), { error: allowed })
    .min(1, { error: allowed })
    .meta({ description: 'The anycast prefixes of the service.' }),
  uplinks: serviceUplinksSchema,
  egress: choice(
    'How answers leave. best: by the best healthy uplink; by-source: by the uplinks named in uplinks, in their order, while they are good.',
    ['best', 'by-source'],
  ).prefault('best'),
  ready: readySchema.optional(),
  alone: choice('What a service that is not ready does where no fleet is configured.', [
    'drain',
    'withdraw',
  ]).prefault('drain'),
});

export const servicesSchema = named(
  'service',
  'The services that this node announces, by name.',
  serviceSchema,
);
