/** Sends one request to the running daemon: over its Unix socket, or over HTTP with a token. */
import { request, type RequestOptions } from 'node:http';
import type { DaemonAddress } from './daemon-client.ts';

export interface DaemonRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON; null: nothing is sent. */
  readonly body: unknown;
  /** For HTTP; null: none is sent. */
  readonly token: string | null;
}

/** `answered` with any HTTP status; `unreachable` where nobody answered, and why. */
export type DaemonReply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'unreachable'; readonly text: string };

/** A tick that waits for BIRD, and a disk that takes its second, are within it. */
const timeoutMillis = 15_000;
const largestBytes = 16 * 1024 * 1024;

/** Never rejects. */
export async function askDaemon(address: DaemonAddress, asked: DaemonRequest): Promise<DaemonReply> {
  const name = address.kind === 'socket' ? address.path : address.url;
  try {
    const { status, text } = await send(address, asked);
    return { kind: 'answered', status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  } catch (error) {
    return {
      kind: 'unreachable',
      text: `${name}: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function send(address: DaemonAddress, asked: DaemonRequest): Promise<{ status: number; text: string }> {
  const body = asked.body === null ? null : JSON.stringify(asked.body);
  const options: RequestOptions = {
    method: asked.method,
    timeout: timeoutMillis,
    agent: false,
    headers: {
      ...(body === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(asked.token === null ? {} : { authorization: `Bearer ${asked.token}` }),
    },
  };
  return new Promise((resolve, reject) => {
    const sent =
      address.kind === 'socket'
        ? request({ ...options, socketPath: address.path, path: asked.path })
        : request(new URL(asked.path, address.url), options);
    const late = (): void => void sent.destroy(new Error(`no answer in ${timeoutMillis} ms`));
    const deadline = setTimeout(late, timeoutMillis);
    sent.on('close', () => clearTimeout(deadline));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > largestBytes) sent.destroy(new Error('the answer is larger than any of this daemon'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.end(body ?? undefined);
  });
}
