/** All webhooks of the config: what each is told of uplinks and alarms, their alarms and their part of the status. */
import { WebhookSender } from '../adapters/webhooks.ts';
import type { CourierClock } from '../adapters/courier.ts';
import type { Exchange } from '../adapters/exchange.ts';
import { newsOfAlarm, newsOfUplink } from '../core/tell/news.ts';
import type { Outbox } from '../store/outbox.ts';
import type { NodeConfig } from '../types/config.ts';
import type { TellHistory } from '../types/history.ts';
import type { ToldUplink } from '../types/told.ts';
import type { Webhook } from '../types/webhook.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import type { Alarm } from './alarms.ts';
import { behindAlarms, newsEvent, refusedAlarms } from './told-words.ts';

export interface WebhookTools {
  readonly exchange: Pick<Exchange, 'ask'>;
  readonly clock: CourierClock;
  readonly wallTime: () => string;
  readonly tell: TellHistory;
}

export interface Webhooks {
  /** `alarms`: all that stand now. */
  tell(told: Iterable<ToldUplink>, alarms: StatusDocument['alarms']): void;
  alarms(now: number): readonly Alarm[];
  status(now: number): NonNullable<StatusDocument['webhooks']>;
  isDone(): boolean;
  close(): void;
}

interface Opened {
  readonly webhook: Webhook;
  readonly outbox: Outbox;
  readonly sender: WebhookSender;
}

/** `outboxes`: one for each webhook, by name. */
export function openWebhooks(
  config: NodeConfig,
  outboxes: ReadonlyMap<string, Outbox>,
  tools: WebhookTools,
): Webhooks {
  const opened = config.webhooks.flatMap((webhook): Opened[] => {
    const outbox = outboxes.get(webhook.name);
    return outbox === undefined ? [] : [{ webhook, outbox, sender: senderOf(webhook, outbox, tools) }];
  });
  const { name: node, site } = config.node;
  return {
    tell(told, alarms) {
      const teller = { node, site, at: tools.wallTime() };
      for (const one of told) {
        const news = newsOfUplink(one, teller);
        for (const { sender } of opened) sender.tell(`uplink ${one.uplink}`, news);
      }
      for (const one of opened) tellAlarms(one, alarms, teller);
    },
    alarms: (now) =>
      opened.flatMap(({ webhook: { name }, sender }) => [
        ...behindAlarms('webhook-behind', `webhook ${name}`, sender.pending(), now),
        ...refusedAlarms(`webhook ${name}`, sender.pending()),
      ]),
    status: (now) => opened.map((one) => statusOf(one, now)),
    isDone: () => opened.every(({ sender }) => sender.pending().every(({ isRefused }) => isRefused)),
    close() {
      for (const { sender } of opened) sender.close();
    },
  };
}

function senderOf(webhook: Webhook, outbox: Outbox, { exchange, clock, tell }: WebhookTools): WebhookSender {
  return new WebhookSender({
    webhook,
    outbox,
    exchange,
    clock,
    random: Math.random,
    wallMillis: Date.now,
    onDelivery(news, delivery) {
      if (delivery.kind === 'failed') return;
      tell(newsEvent(webhook.name, news, delivery.kind === 'refused' ? delivery.text : null));
    },
  });
}

/** One piece of news for each code, so that figures in a text, or twenty services, do not make twenty messages. */
function tellAlarms(
  { webhook, sender }: Opened,
  alarms: StatusDocument['alarms'],
  teller: { readonly node: string; readonly site: string; readonly at: string },
): void {
  if (!webhook.on.includes('alarm')) return;
  const standing = new Map<string, string[]>();
  for (const { code, text } of alarms) {
    // Its own silence cannot be told by it.
    if (text.startsWith(`webhook ${webhook.name} `)) continue;
    standing.set(code, [...(standing.get(code) ?? []), text]);
  }
  for (const [code, [first = '', ...more]] of standing) {
    const text = more.length === 0 ? first : `${first} (and ${more.length} more)`;
    sender.tell(`alarm ${code}`, newsOfAlarm('alarm', code, text, teller));
  }
  for (const [key, news] of sender.told()) {
    if (news.event !== 'alarm' || news.alarm === null || standing.has(news.alarm)) continue;
    sender.tell(key, newsOfAlarm('alarm-ended', news.alarm, news.reason, teller));
  }
}

function statusOf(
  { webhook, sender, outbox }: Opened,
  now: number,
): NonNullable<StatusDocument['webhooks']>[number] {
  const pending = sender.pending();
  const oldest = pending.reduce<number | null>(
    (found, { since }) => (found === null || since < found ? since : found),
    null,
  );
  return {
    name: webhook.name,
    waiting: pending.filter(({ isRefused }) => !isRefused).length,
    refused: pending.filter(({ isRefused }) => isRefused).length,
    waitingSeconds: oldest === null ? null : Math.round((now - oldest) / 1000),
    trouble: pending.find(({ text }) => text !== null)?.text ?? outbox.trouble(),
  };
}
