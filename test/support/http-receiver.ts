/** A real HTTP server on loopback that remembers what it was sent and answers as it is told. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Nothing is answered until this resolves. */
  readonly after?: Promise<unknown>;
}

export interface HttpReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Until it is said again; a function decides for each request. */
  answer(next: Answer | ((request: Received) => Answer)): void;
  close(): Promise<void>;
}

export async function startReceiver(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<HttpReceiver> {
  const received: Received[] = [];
  let answer: Answer | ((request: Received) => Answer) = { status: 200 };
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(one);
      const { status, headers: more, body, after } = typeof answer === 'function' ? answer(one) : answer;
      void (async () => {
        await after;
        response.writeHead(status, more);
        response.end(body ?? '');
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received,
    answer(next) {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
