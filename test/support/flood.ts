/** Load from within the test: plain sockets with keep-alive, each asking again as soon as it was answered. */
import { createConnection } from 'node:net';

export interface FloodOptions {
  readonly path: string;
  readonly connections: number;
  /** One of the two ends it. */
  readonly seconds?: number;
  readonly requests?: number;
  /** A header line for each request. */
  readonly headers?: () => string;
}

export interface FloodResult {
  /** status -> how many; `reset`: connections that broke under a request. */
  readonly answers: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Times from request to answer in milliseconds, sorted. */
  readonly millis: readonly number[];
}

const head = /HTTP\/1\.1 (\d{3})[^]*?\r\n\r\n/;

/** Floods a port of loopback. A broken connection is opened again while time is left. */
export async function flood(port: number, options: FloodOptions): Promise<FloodResult> {
  const answers: Record<string, number> = {};
  const millis: number[] = [];
  const started = performance.now();
  const until = started + (options.seconds ?? 3600) * 1000;
  let left = options.requests ?? Number.POSITIVE_INFINITY;

  const line = (): Promise<void> =>
    new Promise((resolve) => {
      let buffer = '';
      let asked = 0;
      let waiting = false;
      let closing = false;
      const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
      const next = (): void => {
        if (left <= 0 || performance.now() > until) {
          socket.destroy();
          return;
        }
        left -= 1;
        asked = performance.now();
        waiting = true;
        const header = options.headers === undefined ? '' : `${options.headers()}\r\n`;
        socket.write(`GET ${options.path} HTTP/1.1\r\nHost: www.example.test\r\n${header}\r\n`);
      };
      socket.on('connect', next);
      socket.on('data', (data) => {
        buffer += data.toString('latin1');
        const status = take();
        if (status === undefined) return;
        answers[status] = (answers[status] ?? 0) + 1;
        millis.push(performance.now() - asked);
        waiting = false;
        // nginx ends a connection after 1,000 requests.
        if (closing) socket.destroy();
        else next();
      });
      // One whole answer in the buffer: its status. Bodies are chunked or have a length.
      const take = (): string | undefined => {
        const match = head.exec(buffer);
        if (!match) return undefined;
        const length = /content-length: (\d+)/i.exec(match[0]);
        const end = length
          ? match[0].length + Number(length[1])
          : buffer.indexOf('0\r\n\r\n', match[0].length) + 5;
        if (length ? buffer.length < end : end < match[0].length + 5) return undefined;
        closing = /connection: close/i.test(match[0]);
        buffer = buffer.slice(end);
        return match[1];
      };
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (waiting) answers['reset'] = (answers['reset'] ?? 0) + 1;
        resolve();
      });
    });
  const lines = Array.from({ length: options.connections }, async () => {
    const more = (): boolean => left > 0 && performance.now() < until;
    do await line();
    while (more());
  });
  await Promise.all(lines);
  return { answers, seconds: (performance.now() - started) / 1000, millis: millis.sort((a, b) => a - b) };
}
