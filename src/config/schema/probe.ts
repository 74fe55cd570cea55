/** Pace of the probes: the same keys stand in `policy.probe` and, as an override, in each uplink and target. */
import { probeEngines } from '../../types/outcome.ts';
import { choice, duration } from '../fields.ts';
import { section } from '../section.ts';

const interval = duration(
  'Time between two probes of one target and kind; HTTP and DNS take five times as long.',
  {
    min: 20,
    max: 60_000,
  },
);
const timeout = duration('A probe without an answer after this is lost.', { min: 10, max: 5000 });
const fullSize = duration(
  'Time between two echoes that fill the link and must not be fragmented; 0: none. They never count as loss.',
  { min: 0, max: 3_600_000 },
);

export const policyProbeSchema = section('policy.probe', 'Pace of the probes, for each target and kind.', {
  engine: choice(
    "Who sends the echoes: icmp-socket, the kernel's own, or net-ping, the package, where ping_group_range is closed.",
    probeEngines,
  ).prefault('icmp-socket'),
  interval: interval.prefault('200ms'),
  timeout: timeout.prefault('1s'),
  full_size: fullSize.prefault('15s'),
}).prefault({});

export const uplinkProbeSchema = section(
  'uplinks.*.probe',
  'Another pace than policy.probe for this uplink.',
  {
    interval: interval.optional(),
    timeout: timeout.optional(),
    full_size: fullSize.optional(),
  },
).prefault({});

export const targetProbeSchema = section(
  'uplinks.*.targets.*.probe',
  'Another pace than the uplink has, such as a slower one that the target asks for.',
  { interval: interval.optional(), timeout: timeout.optional(), full_size: fullSize.optional() },
);
