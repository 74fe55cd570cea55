/** The traffic of each uplink, by its name, counted once a second beside the ticks. */
import { watchTraffic, type Traffic } from '../host/traffic.ts';
import { monotonicNow } from './clock.ts';
import type { SettingsHolder } from './settings.ts';

export interface TrafficWatch {
  /** Bits per second of each uplink in its fuller direction, over the last `overMillis`; those that are known. */
  rates(overMillis: number): ReadonlyMap<string, number>;
  stop(): void;
}

const everyMillis = 1000;
/** The longest time that anybody asks about. */
const keepMillis = 60_000;

export function followTraffic(settings: SettingsHolder): TrafficWatch {
  const devices = (): readonly string[] => settings.now().config.uplinks.map((uplink) => uplink.interface);
  let traffic: Traffic = watchTraffic(devices(), keepMillis);
  settings.onChange(() => {
    traffic = watchTraffic(devices(), keepMillis);
  });
  const timer = setInterval(() => void traffic.sample(monotonicNow()), everyMillis);
  void traffic.sample(monotonicNow());
  return {
    rates(overMillis) {
      const known = settings.now().config.uplinks.flatMap(({ name, interface: device }) => {
        const rate = traffic.rate(device, overMillis);
        return rate === null ? [] : [[name, rate] as const];
      });
      return new Map(known);
    },
    stop: () => clearInterval(timer),
  };
}
