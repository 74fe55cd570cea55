/** Reads one document of the daemon, from the first address that answers. */
import type { z } from 'zod';
import { addressText, type DaemonAddress, exchange, troubleText } from './daemon-transport.ts';

export type DaemonRead<T> =
  | { readonly kind: 'answer'; readonly value: T; readonly address: DaemonAddress }
  /** The daemon answers, and says why not. */
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  /** `text` says for each address that was tried what happened there. */
  | { readonly kind: 'unreachable'; readonly text: string };

/** A daemon that hangs is one that does not answer: whoever asks at night wants to know within seconds. */
const limits = {
  millis: 4000,
  bytes: 64 * 1024 * 1024,
  tooLarge: 'the answer is larger than any of this daemon',
} as const;

/** GETs `path`. `token` goes along where it is not null. Never rejects. */
export async function readFromDaemon<T>(
  addresses: readonly DaemonAddress[],
  path: string,
  schema: z.ZodType<T>,
  token: string | null = null,
): Promise<DaemonRead<T>> {
  const tried: string[] = [];
  const headers: Readonly<Record<string, string>> =
    token === null ? {} : { authorization: `Bearer ${token}` };
  for (const address of addresses) {
    try {
      const { status, text } = await exchange(address, { method: 'GET', path, headers, body: null }, limits);
      if (status !== 200)
        return { kind: 'refused', status, text: detailOf(bodyOf(text)) ?? `HTTP ${status}` };
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) return { kind: 'answer', value: parsed.data, address };
      const [issue] = parsed.error.issues;
      const where = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
      tried.push(`${addressText(address)}: not an answer of version 1 to ${path} (${where})`);
    } catch (error) {
      tried.push(troubleText(address, error));
    }
  }
  return { kind: 'unreachable', text: tried.join('\n') };
}

/** What is no JSON says nothing. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Of problem+json (RFC 9457). */
function detailOf(body: unknown): string | null {
  return typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null;
}
