/** How much each interface carries, from the kernel's byte counters (/sys/class/net/NAME/statistics). */
import { readFile } from 'node:fs/promises';

export interface Traffic {
  /** Bits per second in the fuller direction, over the last `overMillis`; null: not known yet, or no such interface. */
  rate(device: string, overMillis: number): number | null;
  /** Reads all counters; call it about once a second. Never rejects. */
  sample(nowMillis: number): Promise<void>;
}

interface Count {
  readonly atMillis: number;
  readonly received: number;
  readonly sent: number;
}

/** `keepMillis`: the longest time that a rate is asked over. Times are monotonic. */
export function watchTraffic(
  devices: readonly string[],
  keepMillis: number,
  folder = '/sys/class/net',
): Traffic {
  const counts = new Map<string, readonly Count[]>();
  return {
    rate(device, overMillis) {
      const known = counts.get(device) ?? [];
      const last = known.at(-1);
      if (last === undefined) return null;
      const first = known.find(({ atMillis }) => last.atMillis - atMillis <= overMillis);
      return first === undefined ? null : rateBetween(first, last);
    },
    async sample(nowMillis) {
      for (const device of devices) {
        const count = await readCount(folder, device, nowMillis);
        const before = counts.get(device) ?? [];
        const last = before.at(-1);
        // An interface that was made anew counts from zero.
        const restarted =
          count === null ||
          (last !== undefined && (count.received < last.received || count.sent < last.sent));
        const kept = restarted ? [] : before.filter(({ atMillis }) => nowMillis - atMillis <= keepMillis);
        counts.set(device, count === null ? [] : [...kept, count]);
      }
    },
  };
}

/** Null for less than half a second: counters are not read at the very same moment. */
function rateBetween(first: Count, last: Count): number | null {
  const millis = last.atMillis - first.atMillis;
  if (millis < 500) return null;
  const bytes = Math.max(last.received - first.received, last.sent - first.sent);
  return (bytes * 8 * 1000) / millis;
}

async function readCount(folder: string, device: string, atMillis: number): Promise<Count | null> {
  try {
    const read = async (name: string): Promise<number> =>
      Number(await readFile(`${folder}/${device}/statistics/${name}`, 'utf8'));
    const [received, sent] = [await read('rx_bytes'), await read('tx_bytes')];
    return Number.isFinite(received) && Number.isFinite(sent) ? { atMillis, received, sent } : null;
  } catch {
    return null;
  }
}
