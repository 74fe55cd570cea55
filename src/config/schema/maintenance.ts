/** `maintenance`: windows in which a carrier works on an uplink. */
import { z } from 'zod';
import { parseCron, parseTimezone } from '../cron.ts';
import { choice, duration, text } from '../fields.ts';
import { leaf } from '../leaf.ts';
import { section } from '../section.ts';

const day = 86_400_000;

export const windowSchema = section('maintenance.*', 'A window in which a carrier works on an uplink.', {
  uplink: text('The uplink that is worked on.', /^[a-z][a-z0-9]{0,14}$/, 'the name of an uplink'),
  service: text(
    'One service alone; default: all.',
    /^[a-z][a-z0-9]{0,14}$/,
    'the name of a service',
  ).optional(),
  cron: leaf(
    'When it begins: minute, hour, day of month, month, day of week; day of month and of week must both match.',
    { type: 'string' },
    parseCron,
  ),
  timezone: leaf('Time zone of the pattern.', { type: 'string' }, parseTimezone),
  duration: duration('How long it takes.', { min: 60_000, max: 7 * day }),
  state: choice('What is done with the announcements meanwhile.', ['drain', 'withdraw']).prefault('drain'),
  drain_before: duration('Of a withdrawal: how long before it the uplink is drained.', {
    min: 0,
    max: day,
  }).prefault('10min'),
  reason: text(
    'Why, for people and for BIRD.',
    /^[^\p{Cc}"]{1,120}$/u,
    'a sentence of at most 120 characters without quotes',
  ),
});

export const maintenanceSchema = z
  .array(windowSchema, { error: 'a list of windows' })
  .max(200, { error: 'at most 200 windows' })
  .meta({ description: 'Windows in which carriers work on their uplinks.' })
  .prefault([]);
