/** `services`: groups of anycast prefixes that are announced together. */
import { z } from 'zod';
import { prefix } from '../fields.ts';
import { named, section } from '../section.ts';

const allowed = 'a list with at least one prefix';

export const serviceSchema = section('services.*', 'A group of prefixes that are announced together.', {
  prefixes: z
    .array(prefix('An IPv4 or IPv6 prefix without host bits.'), { error: allowed })
    .min(1, { error: allowed })
    .meta({ description: 'The anycast prefixes of the service.' }),
});

export const servicesSchema = named(
  'service',
  'The services that this node announces, by name.',
  serviceSchema,
);
