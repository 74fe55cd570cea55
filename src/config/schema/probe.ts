/** Pace of the probes: the same keys stand in `policy.probe` and, as an override, in each uplink. */
import { duration } from '../fields.ts';
import { section } from '../section.ts';

const interval = duration('Time between two probes of one target and kind.', { min: 20, max: 60_000 });
const timeout = duration('A probe without an answer after this is lost.', { min: 10, max: 5000 });

export const policyProbeSchema = section('policy.probe', 'Pace of the probes, for each target and kind.', {
  interval: interval.prefault('200ms'),
  timeout: timeout.prefault('1s'),
}).prefault({});

export const uplinkProbeSchema = section(
  'uplinks.*.probe',
  'Another pace than policy.probe for this uplink.',
  {
    interval: interval.optional(),
    timeout: timeout.optional(),
  },
).prefault({});
