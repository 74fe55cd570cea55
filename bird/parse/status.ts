/** The reply to `show status`. */
import type { Reply } from '../codec.ts';
import { type BirdTime, readTime } from './time.ts';

export interface Status {
  /** Such as `2.0.12`. */
  readonly version: string;
  readonly server: BirdTime | null;
  readonly boot: BirdTime | null;
  readonly configured: BirdTime | null;
  /** False while it reconfigures, recovers or shuts down. */
  readonly running: boolean;
}

/** What the reply says; null if it is no whole reply to `show status` (1000, 1011, at the end 0013). */
export function parseStatus(reply: Reply): Status | null {
  const version = /^BIRD (\S+)$/.exec(reply.lines[0]?.text ?? '')?.[1];
  if (reply.lines[0]?.code !== '1000' || version === undefined || reply.code !== '0013') return null;
  const details = reply.lines.filter((line) => line.code === '1011');
  if (details[0]?.text.startsWith('Router ID is ') !== true) return null;
  const timeBehind = (label: string): BirdTime | null => {
    const line = details.find(({ text }) => text.startsWith(label));
    return line === undefined ? null : readTime(line.text.slice(label.length));
  };
  // The code 0013 is the same for every state of the daemon, so here the words have to be read: only the known ones are running.
  const state = reply.lines.at(-1)?.text;
  const recovering = reply.lines.some((line) => line.code === '0024');
  return {
    version,
    server: timeBehind('Current server time is '),
    boot: timeBehind('Last reboot on '),
    configured: timeBehind('Last reconfiguration on '),
    running: state === 'Daemon is up and running' && !recovering,
  };
}
