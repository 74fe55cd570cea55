/** `geodns` and `webhooks`, with their defaults and their templates read. */
import type { GeoDnsConfig } from '../types/geodns-config.ts';
import { type Escaping, readTemplate, type Template } from '../types/template.ts';
import { millis } from '../types/units.ts';
import {
  type Webhook,
  type WebhookEvent,
  type WebhookWay,
  webhookEvents,
  webhookValues,
} from '../types/webhook.ts';
import type { ConfigFile } from './schema/root.ts';

export function resolveGeoDns(geodns: ConfigFile['geodns']): GeoDnsConfig | null {
  if (geodns === undefined) return null;
  return {
    urls: geodns.urls ?? (geodns.url === undefined ? [] : [geodns.url]),
    tokenFile: geodns.token_file,
    caFile: geodns.ca_file ?? null,
    ttlMillis: geodns.ttl,
    deadlineMillis: geodns.deadline,
    heartbeatMillis: geodns.heartbeat,
    timeoutMillis: geodns.timeout,
  };
}

type WebhookForm = ConfigFile['webhooks'][number];

/** An API that keeps a list of carriers may forget a removal (ours does, after two minutes). */
const removalRepeat = millis(60_000);

export function resolveWebhook(form: WebhookForm): Webhook {
  const { url, url_file: urlFile, preset, repeat } = form;
  const usualRepeat = preset === 'remove-restore' ? removalRepeat : millis(0);
  const repeatMillis = repeat ?? usualRepeat;
  return {
    name: form.name,
    on: form.on ?? eventsOf(form),
    url:
      url === undefined
        ? { kind: 'file', path: urlFile ?? '' }
        : { kind: 'url', template: templateOf(url, 'url') },
    way: wayOf(form),
    headers: Object.entries(form.headers ?? {}).map(([name, value]) => ({
      name,
      value: templateOf(value, 'text'),
    })),
    tokenFile: form.token_file ?? null,
    secretFile: form.secret_file ?? null,
    caFile: form.ca_file ?? null,
    timeoutMillis: form.timeout,
    repeatMillis: repeatMillis === 0 ? null : repeatMillis,
    source: {
      ...(preset === undefined ? {} : { preset }),
      ...(url === undefined ? { url_file: urlFile } : { url }),
      ...(form.method === undefined ? {} : { method: form.method }),
      ...(form.headers === undefined ? {} : { headers: form.headers }),
      ...(form.body === undefined ? {} : { body: form.body }),
      ...(form.key_file === undefined ? {} : { key_file: form.key_file }),
    },
  };
}

/** What a preset knows of; PagerDuty is for what people must get up for. */
export function eventsOf({ preset }: Pick<WebhookForm, 'preset'>): readonly WebhookEvent[] {
  switch (preset) {
    case 'remove-restore':
      return ['withdraw', 'drain', 'announce'];
    case 'pagerduty':
      return ['withdraw', 'announce', 'alarm'];
    case 'slack':
    case 'json':
    case undefined:
      return webhookEvents;
  }
}

function wayOf(form: WebhookForm): WebhookWay {
  switch (form.preset) {
    case 'remove-restore':
    case 'slack':
    case 'json':
      return { kind: form.preset };
    case 'pagerduty':
      return { kind: 'pagerduty', keyFile: form.key_file ?? '' };
    case undefined: {
      const body = form.body ?? '';
      const type = Object.entries(form.headers ?? {}).find(
        ([name]) => name.toLowerCase() === 'content-type',
      )?.[1];
      const contentType = type ?? 'application/json';
      return { kind: 'own', method: form.method ?? 'POST', contentType, body: templateOf(body, null) };
    }
  }
}

/** It was read once by the schema, which reports what is wrong with it. */
function templateOf(source: string, usual: Escaping | null): Template {
  const read = readTemplate(source, webhookValues, usual);
  return read.kind === 'ok' ? read.template : [];
}
