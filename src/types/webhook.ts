/** `webhooks`: other APIs that are told, after loading; and what they are told. */
import type { Template } from './template.ts';
import type { Millis } from './units.ts';

export const webhookEvents = ['withdraw', 'drain', 'announce', 'alarm'] as const;
/** `alarm` stands for its beginning and its end. */
export type WebhookEvent = (typeof webhookEvents)[number];

export const webhookPresets = ['remove-restore', 'slack', 'pagerduty', 'json'] as const;
export type WebhookPreset = (typeof webhookPresets)[number];

export interface Webhook {
  readonly name: string;
  readonly on: readonly WebhookEvent[];
  /** `url`: as a template; `file`: the file that holds it, read at each request. */
  readonly url:
    | { readonly kind: 'url'; readonly template: Template }
    | { readonly kind: 'file'; readonly path: string };
  readonly way: WebhookWay;
  /** Added to every request. */
  readonly headers: readonly { readonly name: string; readonly value: Template }[];
  /** `Authorization: Bearer`; null: none. */
  readonly tokenFile: string | null;
  /** Signs every request; null: none is signed. */
  readonly secretFile: string | null;
  readonly caFile: string | null;
  readonly timeoutMillis: Millis;
  /** What is not announced is told again after this, for receivers that forget; null: it is told once. */
  readonly repeatMillis: Millis | null;
  /** As it stands in the file, to be printed again. */
  readonly source: Readonly<Record<string, unknown>>;
}

export type WebhookWay =
  | { readonly kind: 'remove-restore' }
  | { readonly kind: 'slack' }
  /** `keyFile` holds the routing key of the service. */
  | { readonly kind: 'pagerduty'; readonly keyFile: string }
  | { readonly kind: 'json' }
  | { readonly kind: 'own'; readonly method: string; readonly contentType: string; readonly body: Template };

/** What templates may name, each as `{{how name}}`. */
export const webhookValues = [
  'event',
  'node',
  'site',
  'uplink',
  'carrier',
  'state',
  'families',
  'alarm',
  'reason',
  'at',
  'id',
  'epoch',
  'seq',
] as const;

/** One thing that is told: an uplink's state, or an alarm. */
export interface WebhookNews {
  readonly event: 'withdraw' | 'drain' | 'announce' | 'alarm' | 'alarm-ended';
  readonly node: string;
  readonly site: string;
  /** null for an alarm. */
  readonly uplink: string | null;
  readonly carrier: string | null;
  /** `up`, `drain`, `down` of the uplink: the worst of its families. null for an alarm. */
  readonly state: string | null;
  /** `{ "4": "down", "6": "up" }`; null for an alarm. */
  readonly families: Readonly<Record<string, string>> | null;
  /** Code of the alarm; null for an uplink. */
  readonly alarm: string | null;
  /** One sentence. */
  readonly reason: string;
  /** Wall time of the event, ISO 8601. */
  readonly at: string;
}
