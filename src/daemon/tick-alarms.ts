/** What a tick found that an operator should know: an alarm each, for as long as it is so. */
import { elapsed, type Instant } from '../types/units.ts';
import type { Alarm } from './alarms.ts';
import type { TickReport } from './tick.ts';

/** A file that is written a moment later is no trouble; one that is not for this long is. */
const slowDiskMillis = 1000;

/** Guards that somebody should look at: time alone may not end them well. */
const forPeople = ['all-bad', 'last-resort', 'no-consent', 'rate', 'capacity'] as const;

/** `behindSince`: since when the owned file has not held the wish; null: it does. */
export function alarmsOf(
  { at, view, file, plan: planned, wish, results }: TickReport,
  { behindSince }: { readonly behindSince: Instant | null },
  fileIsOurs: boolean,
): readonly Alarm[] {
  const alarms: Alarm[] = [];
  if (view.kind === 'unreachable')
    alarms.push({ code: 'bird-unreachable', text: `${view.path}: ${view.code}: ${view.text}` });
  const isBehind = behindSince !== null && elapsed(behindSince, at) > slowDiskMillis;
  if (file.kind === 'behind' && isBehind) alarms.push({ code: 'file-behind', text: file.text });
  if (!fileIsOurs)
    alarms.push({
      code: 'foreign-file',
      text: 'somebody else changed the owned file; the wish is put back into it',
    });
  if (planned.missing.length > 0) {
    const names = planned.missing.slice(0, 4).join(', ');
    const text = `BIRD lacks ${planned.missing.length} protocols of this config (${names}…): \`causeway apply\` brings them`;
    alarms.push({ code: 'protocol-missing', text });
  }
  for (const { effect, step, text } of results) {
    if (effect === 'failed')
      alarms.push({ code: 'step-failed', text: `${step.command} ${step.protocol}: ${text}` });
  }
  for (const { held, uplink, service, family, text } of wish.announcements) {
    const code = held === null ? undefined : forPeople.find((one) => one === held.guard);
    if (code !== undefined) alarms.push({ code, text: `${service} on ${uplink} IPv${family}: ${text}` });
  }
  return alarms;
}
