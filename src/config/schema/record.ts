/** `record` and `shadow`: what is kept for replays, and a policy that is tried beside the live one. */
import { section } from '../section.ts';
import { fileSize } from '../size.ts';
import { policySchema } from './policy.ts';

export const recordSchema = section('record', 'Recording of outcomes and decisions, for `causeway replay`.', {
  size: fileSize('All recordings in the state folder together; the oldest go.', {
    min: 1e6,
    max: 1e12,
  }).prefault('256MB'),
}).optional();

export const shadowSchema = section(
  'shadow',
  'A policy that is decided by beside the live one, and never acted on.',
  {
    // Required: a shadow that says nothing would be the defaults, which nobody asked for.
    policy: policySchema.unwrap(),
  },
).optional();
