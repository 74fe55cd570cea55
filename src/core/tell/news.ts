/** What webhooks are told: an uplink's state when it changes, and alarms when they begin and end. Pure. */
import type { ToldUplink } from '../../types/told.ts';
import { families } from '../../types/units.ts';
import type { WebhookEvent, WebhookNews } from '../../types/webhook.ts';
import type { ToldState } from '../../types/wire/enums.ts';
import { compareWords } from './words.ts';

export interface Teller {
  readonly node: string;
  readonly site: string;
  /** ISO 8601. */
  readonly at: string;
}

const events = { up: 'announce', drain: 'drain', down: 'withdraw' } as const;

/** The worst of its families speaks for an uplink: APIs that know one state take all of it out. */
export function newsOfUplink(told: ToldUplink, teller: Teller): WebhookNews {
  const perFamily = families.flatMap((family): (readonly [string, ToldState])[] => {
    const state = told.families[family]?.state;
    return state === undefined ? [] : [[String(family), state]];
  });
  const state =
    perFamily
      .map(([, one]) => one)
      .toSorted(compareWords)
      .at(-1) ?? 'up';
  const { uplink, carrier, reason } = told;
  return {
    ...teller,
    event: events[state],
    uplink,
    carrier,
    state,
    families: Object.fromEntries(perFamily),
    alarm: null,
    reason,
  };
}

export function newsOfAlarm(
  event: 'alarm' | 'alarm-ended',
  code: string,
  text: string,
  teller: Teller,
): WebhookNews {
  return {
    ...teller,
    event,
    uplink: null,
    carrier: null,
    state: null,
    families: null,
    alarm: code,
    reason: text.slice(0, 500),
  };
}

/** Whether a webhook that listens for these hears of it. */
export function isHeard(on: readonly WebhookEvent[], { event }: WebhookNews): boolean {
  return on.includes(event === 'alarm-ended' ? 'alarm' : event);
}

/** What two pieces of news must share not to be told twice. */
export function isSameNews(a: WebhookNews, b: WebhookNews): boolean {
  return a.event === b.event && JSON.stringify(a.families) === JSON.stringify(b.families);
}
