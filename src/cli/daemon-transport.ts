/** The way to the running daemon: HTTP over its Unix socket or over its port, one connection for each request. */
import { type ClientRequest, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { messageOf } from '../types/message-of.ts';

export type DaemonAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/** What is sent. */
export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** null: nothing. */
  readonly body: string | null;
}

/** Of a whole answer. */
export interface AnswerLimits {
  readonly millis: number;
  readonly bytes: number;
  /** What is said of a larger one. */
  readonly tooLarge: string;
}

/** The address as people write it. */
export function addressText(address: DaemonAddress): string {
  return address.kind === 'socket' ? address.path : address.url;
}

/** What went wrong there, in one line. */
export function troubleText(address: DaemonAddress, error: unknown): string {
  return `${addressText(address)}: ${messageOf(error)}`;
}

/** The whole answer. Rejects where nobody answers in time, and for an answer above the limit. */
export function exchange(
  address: DaemonAddress,
  sent: Sent,
  limits: AnswerLimits,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const asked = send(address, sent, { timeout: limits.millis });
    const endDeadline = startDeadline(asked, limits.millis);
    asked.on('close', endDeadline);
    asked.on('error', reject);
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > limits.bytes) asked.destroy(new Error(limits.tooLarge));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
  });
}

/** The beginning of an answer, whose body is read without a time limit; destroy the response to end it. */
export function begin(address: DaemonAddress, sent: Sent, answerMillis: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = send(address, sent, {});
    const endDeadline = startDeadline(asked, answerMillis);
    asked.on('error', reject);
    asked.on('response', (response) => {
      endDeadline();
      resolve(response);
    });
    asked.on('close', endDeadline);
  });
}

function send(address: DaemonAddress, sent: Sent, more: RequestOptions): ClientRequest {
  const { method, path, headers = {}, body } = sent;
  const options: RequestOptions = { ...more, method, headers, agent: false };
  const asked =
    address.kind === 'socket'
      ? request({ ...options, socketPath: address.path, path })
      : request(new URL(path, address.url), options);
  asked.end(body ?? undefined);
  return asked;
}

function startDeadline(asked: ClientRequest, waitMillis: number): () => void {
  const late = (): void => void asked.destroy(new Error(`no answer in ${waitMillis} ms`));
  const deadline = setTimeout(late, waitMillis);
  return () => clearTimeout(deadline);
}
