/** `guards`: rules that hold a wish back. */
import { duration, wholeNumber } from '../fields.ts';
import { section } from '../section.ts';

export const guardsSchema = section('guards', 'Rules that hold a wish back, and say so.', {
  keep_uplinks: wholeNumber(
    'Announcements of a service and family that link verdicts must leave on this node.',
    {
      min: 0,
      max: 1000,
    },
  ).prefault(1),
  together: duration('Uplinks that fail within this of each other have failed together.', {
    min: 0,
    max: 600_000,
  }).prefault('15s'),
}).prefault({});
