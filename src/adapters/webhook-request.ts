/** From a piece of news to the request that tells it, by a preset or by the operator's own template. */
import { createHmac } from 'node:crypto';
import { fillTemplate, type TemplateValues } from '../types/template.ts';
import { unreachable } from '../types/unreachable.ts';
import type { Webhook, WebhookNews, WebhookWay } from '../types/webhook.ts';
import type { Order } from '../types/wire/common.ts';

export interface WebhookRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What was read from files just now. */
export interface WebhookSecrets {
  readonly url: string | null;
  readonly token: string | null;
  readonly secret: string | null;
  /** Routing key of PagerDuty. */
  readonly key: string | null;
}

/** The same for every attempt to tell one piece of news, and for no other. */
export function idempotencyKey({ node }: WebhookNews, { epoch, seq }: Order): string {
  return `${node}-${epoch}-${seq}`;
}

/** `atSeconds`: now, in seconds of Unix time, which a signature holds. */
export function webhookRequest(
  webhook: Webhook,
  news: WebhookNews,
  order: Order,
  secrets: WebhookSecrets,
  atSeconds: number,
): WebhookRequest {
  const id = idempotencyKey(news, order);
  const values: TemplateValues = { ...news, ...order, id };
  const base = webhook.url.kind === 'url' ? fillTemplate(webhook.url.template, values) : (secrets.url ?? '');
  const { method, path, type, body } = contentOf(webhook.way, news, values, secrets);
  const added = webhook.headers.map(
    ({ name, value }) => [name.toLowerCase(), fillTemplate(value, values)] as const,
  );
  return {
    method,
    url: path === '' ? base : `${base.replace(/\/+$/, '')}${path}`,
    headers: {
      'user-agent': 'causeway',
      ...(type === null ? {} : { 'content-type': type }),
      'idempotency-key': id,
      ...(secrets.token === null ? {} : { authorization: `Bearer ${secrets.token}` }),
      ...Object.fromEntries(added),
      ...(secrets.secret === null ? {} : signature(secrets.secret, id, atSeconds, body)),
    },
    body,
  };
}

/** As https://www.standardwebhooks.com has it: HMAC-SHA256 over `id.timestamp.body`; a `whsec_` secret is base64. */
export function signature(
  secret: string,
  id: string,
  atSeconds: number,
  body: string,
): Readonly<Record<string, string>> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const digest = createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': `v1,${digest}` };
}

interface Content {
  readonly method: string;
  /** Behind the URL. */
  readonly path: string;
  readonly type: string | null;
  readonly body: string;
}

function contentOf(
  way: WebhookWay,
  news: WebhookNews,
  values: TemplateValues,
  { key }: WebhookSecrets,
): Content {
  const json = (value: unknown): Content => ({
    method: 'POST',
    path: '',
    type: 'application/json',
    body: JSON.stringify(value),
  });
  switch (way.kind) {
    case 'remove-restore': {
      const verb = news.event === 'announce' ? 'restore' : 'remove';
      return {
        method: 'POST',
        path: `/${verb}/${encodeURIComponent(news.carrier ?? '')}`,
        type: null,
        body: '',
      };
    }
    case 'slack':
      return json({ text: slackText(news) });
    case 'pagerduty':
      return json(pagerDutyEvent(news, key ?? ''));
    case 'json':
      return json({ schema: 1, ...values });
    case 'own':
      return { method: way.method, path: '', type: way.contentType, body: fillTemplate(way.body, values) };
    default:
      return unreachable(way);
  }
}

/** One sentence for people: `hk1: cmi is withdrawn (loss 34 %)`. */
export function newsText({ node, event, uplink, alarm, families, reason }: WebhookNews): string {
  const what = `${node}: ${uplink ?? alarm ?? ''}`;
  const differs = families !== null && new Set(Object.values(families)).size > 1;
  const where = differs
    ? ` [${Object.entries(families)
        .map(([one, state]) => `IPv${one} ${state}`)
        .join(', ')}]`
    : '';
  switch (event) {
    case 'withdraw':
      return `${what} is withdrawn${where}: ${reason}`;
    case 'drain':
      return `${what} is drained${where}: ${reason}`;
    case 'announce':
      return `${what} is announced again${where}: ${reason}`;
    case 'alarm':
      return `${what}: ${reason}`;
    case 'alarm-ended':
      return `${what} has ended: ${reason}`;
    default:
      return unreachable(event);
  }
}

/** Slack reads &, < and > as its own (api.slack.com/reference/surfaces/formatting). */
function slackText(news: WebhookNews): string {
  return newsText(news).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Events API v2: a trigger and its resolve share a key of at most 255 characters. */
function pagerDutyEvent(news: WebhookNews, routingKey: string): unknown {
  const { node, site, event, uplink, alarm, carrier, at } = news;
  const severity = {
    withdraw: 'error',
    drain: 'warning',
    announce: 'info',
    alarm: 'critical',
    'alarm-ended': 'info',
  };
  return {
    routing_key: routingKey,
    event_action: event === 'announce' || event === 'alarm-ended' ? 'resolve' : 'trigger',
    dedup_key: `causeway/${node}/${uplink ?? `alarm/${alarm}`}`.slice(0, 255),
    payload: {
      summary: newsText(news).slice(0, 1024),
      source: node,
      severity: severity[event],
      timestamp: at,
      component: uplink ?? alarm,
      group: site,
      class: event,
      custom_details: { carrier, families: news.families },
    },
  };
}
