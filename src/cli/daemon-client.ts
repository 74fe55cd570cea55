/** Asks the running daemon for its status, over its Unix socket or over HTTP. */
import { statusDocument, type StatusDocument } from '../types/wire/status.ts';
import { addressText, type DaemonAddress, exchange, troubleText } from './daemon-transport.ts';

/** `text` says for each address that was tried what happened there. */
export type DaemonAnswer =
  | { readonly kind: 'answer'; readonly document: StatusDocument }
  | { readonly kind: 'unreachable'; readonly text: string };

const limits = {
  millis: 5000,
  bytes: 64 * 1024 * 1024,
  tooLarge: 'the answer is larger than any status document',
} as const;

/** The status document from the first address that answers. */
export async function fetchStatus(addresses: readonly DaemonAddress[]): Promise<DaemonAnswer> {
  const tried: string[] = [];
  for (const address of addresses) {
    try {
      const { status, text } = await exchange(
        address,
        { method: 'GET', path: '/v1/status', body: null },
        limits,
      );
      if (status !== 200) throw new Error(`HTTP ${status}`);
      const parsed = statusDocument.safeParse(JSON.parse(text));
      if (parsed.success) return { kind: 'answer', document: parsed.data };
      const issue = parsed.error.issues[0];
      const what = `(${issue?.path.join('.')}: ${issue?.message})`;
      tried.push(`${addressText(address)}: not a status document of version 1 ${what}`);
    } catch (error) {
      tried.push(troubleText(address, error));
    }
  }
  return { kind: 'unreachable', text: tried.join('\n') };
}
