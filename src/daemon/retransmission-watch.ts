/** What real TCP traffic had to send again, by uplink and family, looked at every few seconds beside the ticks. */
import { type Retransmissions, type SentCount, watchRetransmissions } from '../host/retransmissions.ts';
import type { Family } from '../types/units.ts';
import type { SettingsHolder } from './settings.ts';

export interface RetransmissionWatch {
  /** Of the last minute, by the uplink's source address; null: too little traffic. */
  share(uplink: string, family: Family): SentCount | null;
  stop(): void;
}

const everyMillis = 5000;
const samplesAMinute = 60_000 / everyMillis;

export function followRetransmissions(settings: SettingsHolder): RetransmissionWatch {
  const uplinks = () => settings.now().config.uplinks;
  const sources = (): readonly string[] =>
    uplinks().flatMap(({ source }) => [source[4], source[6]].flatMap((one) => one ?? []));
  let watch: Retransmissions = watchRetransmissions(sources(), samplesAMinute);
  let isLooking = false;
  settings.onChange(() => {
    watch = watchRetransmissions(sources(), samplesAMinute);
  });
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void watch.sample().finally(() => {
      isLooking = false;
    });
  }, everyMillis);
  return {
    share(uplink, family) {
      const source = uplinks().find(({ name }) => name === uplink)?.source[family];
      return source === undefined ? null : watch.share(source);
    },
    stop: () => clearInterval(timer),
  };
}
