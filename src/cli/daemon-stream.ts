/** Opens an answer of the daemon that is read as it comes: lists, events, recordings. */
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import type { DaemonAddress } from './daemon-client.ts';

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
      const response = await begin(address, path, headers);
      if (response.statusCode === 200) return { kind: 'open', response };
      return { kind: 'refused', text: refusalOf(response.statusCode, await textOf(response)) };
    } catch (error) {
      const name = address.kind === 'socket' ? address.path : address.url;
      tried.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { kind: 'unreachable', text: tried.join('\n') };
}

function begin(
  address: DaemonAddress,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const options: RequestOptions = { agent: false, headers };
  return new Promise((resolve, reject) => {
    const sent =
      address.kind === 'socket'
        ? request({ ...options, socketPath: address.path, path })
        : request(new URL(path, address.url), options);
    const late = new Error(`no answer in ${answerMillis} ms`);
    const deadline = setTimeout(() => sent.destroy(late), answerMillis);
    sent.on('error', reject);
    sent.on('response', (response) => {
      clearTimeout(deadline);
      resolve(response);
    });
    sent.on('close', () => clearTimeout(deadline));
    sent.end();
  });
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
