/** What was told and how far it came, in the words of the history, the status and alarms. Pure. */
import type { Pending } from '../adapters/courier.ts';
import type { HistoryEvent } from '../types/history.ts';
import type { ToldUplink } from '../types/told.ts';
import { families } from '../types/units.ts';
import type { WebhookNews } from '../types/webhook.ts';
import type { Alarm, AlarmCode } from './alarms.ts';

/** A receiver that has not acknowledged for so long is behind. */
export const behindMillis = 30_000;

/** `IPv4 down, IPv6 up (ID drain)`. */
export function toldText({ families: told }: ToldUplink): string {
  return families
    .flatMap((family) => {
      const one = told[family];
      if (one === undefined) return [];
      const apart = [...Object.entries(one.regions), ...Object.entries(one.services)]
        .filter(([, state]) => state !== one.state)
        .map(([name, state]) => `${name} ${state}`);
      return [`IPv${family} ${one.state}${apart.length === 0 ? '' : ` (${apart.join(', ')})`}`];
    })
    .join(', ');
}

export function toldEvent(told: ToldUplink): HistoryEvent {
  return {
    kind: 'told',
    receiver: 'geodns',
    subject: told.uplink,
    effect: 'acknowledged',
    author: 'causeway',
    reason: 'told',
    text: `${told.uplink}: ${toldText(told)}; ${told.reason}`,
  };
}

export function newsEvent(
  receiver: string,
  { uplink, alarm, event, reason }: WebhookNews,
  refused: string | null,
): HistoryEvent {
  const subject = uplink ?? `alarm ${alarm}`;
  return {
    kind: 'told',
    receiver,
    subject,
    effect: refused === null ? 'acknowledged' : 'refused',
    author: 'causeway',
    reason: event,
    text: refused ?? `${subject}: ${event}; ${reason}`,
  };
}

/** Names a few of many. */
function few(names: readonly string[]): string {
  return names.length > 4 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
}

/** One alarm for what waits for too long; texts stay the same while that is so. */
export function behindAlarms(
  code: AlarmCode,
  receiver: string,
  pending: readonly Pending[],
  now: number,
): readonly Alarm[] {
  const late = pending.filter(({ since, isRefused }) => !isRefused && now - since > behindMillis);
  if (late.length === 0) return [];
  const why = late.find(({ text }) => text !== null)?.text ?? 'no answer';
  return [{ code, text: `${receiver} has not acknowledged ${few(late.map(({ key }) => key))}: ${why}` }];
}

export function refusedAlarms(receiver: string, pending: readonly Pending[]): readonly Alarm[] {
  return pending
    .filter(({ isRefused }) => isRefused)
    .slice(0, 4)
    .map(({ key, text }) => ({ code: 'webhook-refused', text: `${receiver} refuses ${key}: ${text ?? ''}` }));
}
