/** `bird`: where BIRD is and which file of it Causeway owns. */
import { absolutePath, choice } from '../fields.ts';
import { section } from '../section.ts';

export const birdSchema = section('bird', 'Where BIRD is and which file of it Causeway owns.', {
  socket: absolutePath("BIRD's control socket.", 'socket').prefault('/run/bird/bird.ctl'),
  config: absolutePath('The one file that Causeway owns, in a directory of its own.', 'file').prefault(
    '/etc/bird/causeway/causeway.conf',
  ),
  layout: choice("include: the operator's bird.conf includes the owned file; whole: it is the whole.", [
    'include',
    'whole',
  ]).prefault('include'),
}).prefault({});
