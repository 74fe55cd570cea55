/** Opens an answer of the daemon that is read as it comes: lists, events, recordings. */
import type { IncomingMessage } from 'node:http';
import { begin, type DaemonAddress, troubleText } from './daemon-transport.ts';

export type DaemonStream =
  | { readonly kind: 'open'; readonly response: IncomingMessage }
  /** The daemon answers, and says why not. */
  | { readonly kind: 'refused'; readonly text: string }
  /** `text` says for each address that was tried what happened there. */
  | { readonly kind: 'unreachable'; readonly text: string };

const answerMillis = 5000;
const longestRefusal = 64 * 1024;

/** GETs `path` from the first address that answers. Its body has no time limit; destroy the response to end it. */
export async function openStream(
  addresses: readonly DaemonAddress[],
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<DaemonStream> {
  const tried: string[] = [];
  for (const address of addresses) {
    try {
      const response = await begin(address, { method: 'GET', path, headers, body: null }, answerMillis);
      if (response.statusCode === 200) return { kind: 'open', response };
      return { kind: 'refused', text: refusalOf(response.statusCode, await textOf(response)) };
    } catch (error) {
      tried.push(troubleText(address, error));
    }
  }
  return { kind: 'unreachable', text: tried.join('\n') };
}

/** The whole body. */
export async function textOf(response: IncomingMessage, mostBytes = longestRefusal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > mostBytes) throw new Error(`an answer of more than ${mostBytes} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

/** The detail of problem+json (RFC 9457), or what came instead. */
function refusalOf(status: number | undefined, body: string): string {
  try {
    const found: unknown = JSON.parse(body);
    if (typeof found === 'object' && found !== null && 'detail' in found) return String(found.detail);
  } catch {
    // Not a problem document; its status says enough.
  }
  return `HTTP ${status}`;
}
