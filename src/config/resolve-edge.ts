/** `edge` of the file: names for units, and each origin's uplinks written out. */
import type { EdgeConfig, Origin } from '../types/edge-config.ts';
import type { ConfigFile } from './schema/root.ts';

type EdgeFile = NonNullable<ConfigFile['edge']>;

/** null: no edge is configured. Of a file that every rule has passed. */
export function resolveEdge({ edge, uplinks }: ConfigFile): EdgeConfig | null {
  if (edge === undefined) return null;
  const { host, weight, ttl, probe, origins } = edge;
  return {
    host,
    weight,
    ttlMillis: ttl,
    probe: {
      intervalMillis: probe.interval,
      timeoutMillis: probe.timeout,
      rise: probe.rise,
      fall: probe.fall,
    },
    pools: Object.entries(origins).map(([name, entries]) => ({
      name,
      origins: entries.map((entry) => resolveOrigin(entry, uplinks)),
    })),
  };
}

function resolveOrigin(
  { address: { family, text }, port, weight, via }: EdgeFile['origins'][string][number],
  uplinks: ConfigFile['uplinks'],
): Origin {
  const able = Object.entries(uplinks).filter(([, { source }]) => source[family] !== undefined);
  return { family, address: text, port, weight, via: via ?? able.map(([name]) => name) };
}
