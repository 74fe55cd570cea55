/** The sum over a fleet of what its steps cost. Pure. */
import type { RedisUnits } from './redis.ts';

export interface FleetShape {
  readonly uplinks: number;
  readonly targets: number;
  readonly changesPerHour: number;
}

export interface Sum {
  /** Of a core. */
  readonly redisShare: number;
  readonly nodeShare: number;
  /** In a second. */
  readonly redisInBytes: number;
  readonly redisOutBytes: number;
}

/** `fleet.publish` of 500 ms. */
const publishSeconds = 0.5;

/** A cycle comes `publish` after the last one, or when it rings, whichever is first. */
function cyclesPerSecond(ringsPerSecond: number): number {
  return ringsPerSecond / (1 - Math.exp(-publishSeconds * ringsPerSecond));
}

/** Each node makes its cycles; each change rings every node, and is read by every node. */
export function sumOf(nodes: number, { changesPerHour }: FleetShape, units: RedisUnits): Sum {
  const { cycle, reading, ringing } = units;
  const changes = (nodes * changesPerHour) / 3600;
  const cycles = cyclesPerSecond(changes);
  const heard = nodes * changes;
  return {
    redisShare:
      (nodes * cycles * cycle.redisMicros + heard * (reading.redisMicros + ringing.redisMicros)) / 1e6,
    nodeShare: (cycles * cycle.nodeMicros + changes * reading.nodeMicros) / 1e6,
    redisInBytes: nodes * cycles * cycle.inBytes,
    redisOutBytes: nodes * cycles * cycle.outBytes + heard * (reading.outBytes + ringing.outBytes),
  };
}
