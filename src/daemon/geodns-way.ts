/** The way to GeoDNS: its endpoints over HTTP, with the token and the authorities as their files hold them now. */
import type { Exchange } from '../adapters/exchange.ts';
import type { GeoDnsPut } from '../adapters/geodns-client.ts';
import { readSecret, readSmall } from '../adapters/secret-file.ts';
import type { GeoDnsConfig } from '../types/geodns-config.ts';

export function putToGeoDns(
  { urls, tokenFile, caFile, timeoutMillis }: GeoDnsConfig,
  exchange: Pick<Exchange, 'ask'>,
): GeoDnsPut {
  return async (endpoint, path, message) => {
    const token = await readSecret(tokenFile);
    if (token.kind === 'unreadable') return { kind: 'failed', text: `geodns.token_file: ${token.text}` };
    const ca = caFile === null ? null : await readSmall(caFile);
    if (ca?.kind === 'unreadable') return { kind: 'failed', text: `geodns.ca_file: ${ca.text}` };
    const reply = await exchange.ask({
      url: new URL(`${urls[endpoint] ?? urls[0] ?? ''}${path}`),
      method: 'PUT',
      headers: { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      timeoutMillis,
      ca: ca?.text ?? null,
    });
    return reply.kind === 'failed' ? { kind: 'failed', text: `${reply.code}: ${reply.text}` } : reply;
  };
}
