/** `bird`: where BIRD is and which file of it Causeway owns. */
import { absolutePath, choice, ipAddress, wholeNumber } from '../fields.ts';
import { section } from '../section.ts';
import { adoptSchema, commandSchema, defaultBirdSocket } from './bird-way.ts';

export const rpkiSchema = section('bird.rpki', 'The cache of validated route origins that BIRD reads.', {
  server: ipAddress('Address of the cache, which speaks RTR over TCP (RFC 8210).'),
  port: wholeNumber('Its port.', { min: 1, max: 65_535 }).prefault(3323),
});

export const birdSchema = section('bird', 'Where BIRD is and which file of it Causeway owns.', {
  socket: absolutePath(
    `BIRD's control socket; ${defaultBirdSocket} where no command is given.`,
    'socket',
  ).optional(),
  command: commandSchema,
  config: absolutePath('The one file that Causeway owns, in a directory of its own.', 'file').prefault(
    '/etc/bird/causeway/causeway.conf',
  ),
  layout: choice("include: the operator's bird.conf includes the owned file; whole: it is the whole.", [
    'include',
    'whole',
  ]).prefault('include'),
  adopt: adoptSchema,
  rpki: rpkiSchema.optional(),
}).prefault({});
