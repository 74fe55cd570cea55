/** Asks the running daemon over its Unix socket or over HTTP. */
import { request, type RequestOptions } from 'node:http';
import { statusDocument, type StatusDocument } from '../types/wire/status.ts';

export type DaemonAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/** `text` says for each address that was tried what happened there. */
export type DaemonAnswer =
  | { readonly kind: 'answer'; readonly document: StatusDocument }
  | { readonly kind: 'unreachable'; readonly text: string };

const timeoutMillis = 5000;
const largestBytes = 64 * 1024 * 1024;

/** The status document from the first address that answers. */
export async function fetchStatus(addresses: readonly DaemonAddress[]): Promise<DaemonAnswer> {
  const tried: string[] = [];
  for (const address of addresses) {
    const name = address.kind === 'socket' ? address.path : address.url;
    try {
      const body = await get(address, '/v1/status');
      const parsed = statusDocument.safeParse(JSON.parse(body));
      if (parsed.success) return { kind: 'answer', document: parsed.data };
      const issue = parsed.error.issues[0];
      tried.push(`${name}: not a status document of version 1 (${issue?.path.join('.')}: ${issue?.message})`);
    } catch (error) {
      tried.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { kind: 'unreachable', text: tried.join('\n') };
}

function get(address: DaemonAddress, path: string): Promise<string> {
  const options: RequestOptions = { timeout: timeoutMillis, agent: false };
  return new Promise((resolve, reject) => {
    const sent =
      address.kind === 'socket'
        ? request({ ...options, socketPath: address.path, path })
        : request(new URL(path, address.url), options);
    const deadline = setTimeout(
      () => sent.destroy(new Error(`no answer in ${timeoutMillis} ms`)),
      timeoutMillis,
    );
    sent.on('close', () => clearTimeout(deadline));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > largestBytes) sent.destroy(new Error('the answer is larger than any status document'));
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
        else reject(new Error(`HTTP ${response.statusCode}`));
      });
    });
    sent.end();
  });
}
