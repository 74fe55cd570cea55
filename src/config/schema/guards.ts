/** `guards`: rules that hold a wish back. */
import { choice, countIn, duration, wholeNumber } from '../fields.ts';
import { section } from '../section.ts';

export const guardsSchema = section('guards', 'Rules that hold a wish back, and say so.', {
  keep_uplinks: wholeNumber(
    'Announcements of a service and family that link verdicts must leave on this node.',
    {
      min: 0,
      max: 1000,
    },
  ).prefault(1),
  keep_nodes: wholeNumber('Announcing nodes of a service that must remain in the fleet.', {
    min: 0,
    max: 1000,
  }).prefault(1),
  together: duration('Uplinks that fail within this of each other have failed together.', {
    min: 0,
    max: 600_000,
  }).prefault('15s'),
  max_withdrawals: countIn(
    'Uplinks that link verdicts withdraw within the time; past it nothing of theirs returns. A link or session that is down never counts.',
    { min: 1, max: 1000 },
    { min: 10_000, max: 86_400_000 },
  ).prefault('3/15min'),
  flap_budget: choice('Whose route flap damping the changes must stay below; off: no carrier damps.', [
    'cisco',
    'juniper',
    'rfc7196',
    'off',
  ]).prefault('cisco'),
}).prefault({});
