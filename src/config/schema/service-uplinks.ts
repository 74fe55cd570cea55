/** `services.*.uplinks`: what is other for one service on single uplinks. */
import { z } from 'zod';
import { communities } from '../communities.ts';
import { choice, wholeNumber } from '../fields.ts';
import { section } from '../section.ts';

export const serviceUplinkSchema = section(
  'services.*.uplinks.*',
  'What is other for the service on this uplink; what is left out is as the uplink has it.',
  {
    state: choice('backup: drained unless it is needed.', ['announce', 'backup']).prefault('announce'),
    med: wholeNumber('MED in place of that of the uplink.', { min: 0, max: 4_294_967_295 }).optional(),
    prepend: wholeNumber('Prepends in place of those of the uplink.', { min: 0, max: 8 }).optional(),
    communities: communities('Communities in place of those of the uplink.').optional(),
    drain_communities: communities('In place of drain_communities of the uplink.').optional(),
  },
);

export const serviceUplinksSchema = z
  .record(z.string(), serviceUplinkSchema, { error: 'a mapping from uplinks, such as { cmi: { med: 50 } }' })
  .meta({
    description:
      'What is other on single uplinks, by name. An uplink that is not named announces the service too.',
  })
  .prefault({});
