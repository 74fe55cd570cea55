/** Sends one request to the running daemon: over its Unix socket, or over HTTP with a token. */
import { type DaemonAddress, exchange, troubleText } from './daemon-transport.ts';

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

const limits = {
  /** A tick that waits for BIRD, and a disk that takes its second, are within it. */
  millis: 15_000,
  bytes: 16 * 1024 * 1024,
  tooLarge: 'the answer is larger than any of this daemon',
} as const;

/** Never rejects. */
export async function askDaemon(address: DaemonAddress, asked: DaemonRequest): Promise<DaemonReply> {
  const { method, path, token } = asked;
  const body = asked.body === null ? null : JSON.stringify(asked.body);
  const headers = {
    ...(body === null
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const { status, text } = await exchange(address, { method, path, headers, body }, limits);
    return { kind: 'answered', status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  } catch (error) {
    return { kind: 'unreachable', text: troubleText(address, error) };
  }
}
