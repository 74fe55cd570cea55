/** `geodns` and `webhooks` as they stand in the file, with every default written out. */
import type { GeoDnsConfig } from '../types/geodns-config.ts';
import type { Webhook } from '../types/webhook.ts';
import { formatDuration } from './quantities.ts';

export function geodnsForm(geodns: GeoDnsConfig): Readonly<Record<string, unknown>> {
  return {
    urls: geodns.urls,
    token_file: geodns.tokenFile,
    ...(geodns.caFile === null ? {} : { ca_file: geodns.caFile }),
    ttl: formatDuration(geodns.ttlMillis),
    deadline: formatDuration(geodns.deadlineMillis),
    heartbeat: formatDuration(geodns.heartbeatMillis),
    timeout: formatDuration(geodns.timeoutMillis),
  };
}

export function webhookForm(webhook: Webhook): Readonly<Record<string, unknown>> {
  const { name, on, source, tokenFile, secretFile, caFile, timeoutMillis, repeatMillis } = webhook;
  return {
    name,
    ...source,
    on,
    ...(tokenFile === null ? {} : { token_file: tokenFile }),
    ...(secretFile === null ? {} : { secret_file: secretFile }),
    ...(caFile === null ? {} : { ca_file: caFile }),
    timeout: formatDuration(timeoutMillis),
    repeat: formatDuration(repeatMillis ?? 0),
  };
}
