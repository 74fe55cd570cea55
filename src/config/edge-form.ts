/** `edge` as it stands in the file, with every default written out. */
import type { EdgeConfig } from '../types/edge-config.ts';
import { formatDuration } from './quantities.ts';

export function edgeForm({ host, weight, ttlMillis, probe, pools }: EdgeConfig) {
  return {
    host,
    weight,
    ttl: formatDuration(ttlMillis),
    probe: {
      interval: formatDuration(probe.intervalMillis),
      timeout: formatDuration(probe.timeoutMillis),
      rise: probe.rise,
      fall: probe.fall,
    },
    origins: Object.fromEntries(
      pools.map(({ name, origins }) => [
        name,
        origins.map(({ address, port, weight: share, via }) => ({ address, port, weight: share, via })),
      ]),
    ),
  };
}
