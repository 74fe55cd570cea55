/**
 * Hears that somebody in the fleet said something new, on a connection of its own. What was said is not believed: the
 * next cycle reads all of it. A bell that is deaf costs no more than the time between two cycles.
 */
import type { FleetConfig } from '../types/fleet-config.ts';
import { connectRedis, type RedisConnection } from './redis.ts';

const pingMillis = 3000;
const retryMillis = 2000;

export interface FleetBell {
  stop(): void;
}

export function openFleetBell(config: FleetConfig, node: string, onRing: () => void): FleetBell {
  const stop = new AbortController();
  let connection: RedisConnection | null = null;
  let timer: NodeJS.Timeout | undefined;
  const again = (waitMillis: number): void => {
    if (!stop.signal.aborted) timer = setTimeout(() => void round(), waitMillis).unref();
  };
  const round = async (): Promise<void> => {
    try {
      if (connection === null || connection.ended) {
        const opened = await connectRedis(config, `causeway-${node}-bell`, stop.signal);
        if (stop.signal.aborted) return opened.end();
        connection = opened;
        await opened.subscribe(`${config.prefix}:events`, onRing);
        onRing();
      }
      await connection.call(['PING']);
      again(pingMillis);
    } catch {
      // The cycles say what is wrong with Redis.
      connection?.end();
      connection = null;
      again(retryMillis * (0.75 + Math.random() / 2));
    }
  };
  void round();
  return {
    stop() {
      stop.abort();
      clearTimeout(timer);
      connection?.end();
    },
  };
}
