/** Clients that mean no good, for fuzzing the HTTP server: each is one connection, and says what it got. */
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { token } from './http-world.ts';

/** What a client sends, in pieces, and what it does between and after them. */
export interface Hostile {
  readonly name: string;
  readonly pieces: readonly Buffer[];
  /** `wait`: reads until the server hangs up, or for a while; `abort`: resets as soon as all is sent. */
  readonly end: 'wait' | 'abort';
}

const paths = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/docs/json',
  '/v1/status',
  '/v1/uplinks/cmi',
  '/v1/explain/cmi',
  '/v1/history',
  '/v1/history?since=2h&limit=5',
  '/v1/series',
  '/v1/events',
  '/v1/record',
  '/v1/overrides',
  '/v1/release',
  '/v1/freeze',
  '/v1/thaw',
  '/v1/reload',
  '/v1/apply',
];
const writePaths = ['/v1/overrides', '/v1/release', '/v1/freeze', '/v1/thaw', '/v1/apply'];
const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'CONNECT',
  'get',
  '',
];

/** Bytes that are not quite a path. */
const oddPath = fc.oneof(
  fc.constantFrom(...paths),
  fc.tuple(fc.constantFrom(...paths), fc.string({ maxLength: 30 })).map(([path, more]) => `${path}/${more}`),
  fc.tuple(fc.constantFrom(...paths), fc.string({ maxLength: 60 })).map(([path, more]) => `${path}?${more}`),
  fc.constantFrom(
    '//',
    '/..',
    '/v1/../v1/status',
    '/%00',
    '/%2e%2e%2f',
    '/v1/uplinks/%ff%fe',
    '*',
    'http://x/',
    '/v1/uplinks/__proto__',
    '/v1/uplinks/constructor',
  ),
  fc.integer({ min: 100, max: 9000 }).map((size) => `/v1/uplinks/${'x'.repeat(size)}`),
);

const oddHeader = fc.oneof(
  fc.constantFrom(
    'host: evil.example',
    'host: a\r\nhost: b',
    'content-length: -1',
    'content-length: 99999999999',
    'content-length: 5\r\ncontent-length: 6',
    'transfer-encoding: chunked',
    'transfer-encoding: chunked\r\ncontent-length: 4',
    'expect: 100-continue',
    'expect: the worst',
    'upgrade: websocket\r\nconnection: upgrade',
    'connection: close',
    'accept: text/event-stream',
    'accept: */*;q=0',
    'if-none-match: *',
    'last-event-id: 0',
    'last-event-id: 1e400',
    'range: bytes=0-',
    'content-type: application/json',
    'content-type: multipart/form-data; boundary=x',
    `authorization: Bearer ${token}`,
    'authorization: Bearer',
  ),
  fc
    .tuple(fc.stringMatching(/^[a-z-]{1,20}$/), fc.string({ maxLength: 50 }))
    .map(([name, value]) => `${name}: ${value}`),
  fc
    .integer({ min: 60, max: 300 })
    .map((count) => Array.from({ length: count }, (_, at) => `x-${at}: 1`).join('\r\n')),
  fc.integer({ min: 1000, max: 20_000 }).map((size) => `x: ${'y'.repeat(size)}`),
);

const oddRequest: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...methods),
    oddPath,
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'ICY'),
    fc.array(oddHeader, { maxLength: 4 }),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
    ),
  )
  .map(([method, path, version, headers, body]) =>
    [`${method} ${path} ${version}`, 'host: localhost', ...headers, '', body].join('\r\n'),
  );

/** A command with the token whose body is JSON of some kind. */
const oddCommand: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...writePaths),
    fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc
        .record(
          {
            selection: fc.oneof(
              fc.anything({ maxDepth: 2 }),
              fc.constant({ uplink: 'cmi', service: null, family: null }),
            ),
            state: fc.oneof(fc.anything({ maxDepth: 1 }), fc.constantFrom('announce', 'drain', 'withdraw')),
            author: fc.oneof(fc.anything({ maxDepth: 1 }), fc.constant('kim')),
            reason: fc.oneof(fc.anything({ maxDepth: 1 }), fc.constant('x'), fc.string()),
            ends: fc.oneof(fc.anything({ maxDepth: 2 }), fc.constant({ kind: 'never' })),
            dryRun: fc.constantFrom(true, true, 1, 'true', null),
          },
          { requiredKeys: ['dryRun'] },
        )
        .map((value) =>
          JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)),
        ),
      fc.integer({ min: 1, max: 200_000 }).map((size) => `{"reason":"${'x'.repeat(size)}"}`),
      fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth)),
    ),
    fc.integer({ min: -3, max: 3 }),
  )
  .map(([path, body, wrong]) => {
    const length = Math.max(0, Buffer.byteLength(body) + (wrong === 3 || wrong === -3 ? wrong : 0));
    return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${length}\r\n\r\n${body}`;
  });

/** Cut into pieces, so that a request comes in drops. */
function cut(text: string, size: number): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size));
  return pieces;
}

const end = fc.constantFrom<Hostile['end']>('wait', 'wait', 'abort');

export const hostile: fc.Arbitrary<Hostile> = fc.oneof(
  fc
    .tuple(oddRequest, fc.constantFrom(7, 100, 100_000), end)
    .map(([text, size, how]) => ({ name: 'odd request', pieces: cut(text, size), end: how })),
  fc
    .tuple(oddCommand, fc.constantFrom(500, 100_000), end)
    .map(([text, size, how]) => ({ name: 'odd command', pieces: cut(text, size), end: how })),
  fc
    .tuple(fc.uint8Array({ maxLength: 2000 }), end)
    .map(([bytes, how]) => ({ name: 'noise', pieces: [Buffer.from(bytes)], end: how })),
  fc.tuple(fc.constantFrom(...paths), fc.integer({ min: 2, max: 200 }), end).map(([path, count, how]) => ({
    name: 'pipelined',
    pieces: [Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(count))],
    end: how,
  })),
  fc
    .tuple(
      fc.array(
        fc.tuple(fc.constantFrom('0', '5', 'ff', 'fffffffff', '-1', 'zz'), fc.string({ maxLength: 20 })),
        { maxLength: 6 },
      ),
      end,
    )
    .map(([chunks, how]) => ({
      name: 'odd chunks',
      pieces: [
        Buffer.from(
          `POST /v1/freeze HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ntransfer-encoding: chunked\r\n\r\n`,
        ),
        ...chunks.map(([size, text]) => Buffer.from(`${size}\r\n${text}\r\n`)),
      ],
      end: how,
    })),
  fc.constantFrom(...paths).map((path) => ({
    name: 'never ends its head',
    pieces: [Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx: `)],
    end: 'abort' as const,
  })),
);

/** Longer than the answers take, and shorter than the server waits for the end of a head. */
const patienceMillis = 150;

/** What came back, as latin1; whatever happens to the connection is fine. */
export function attack(port: number, { pieces, end: how }: Hostile): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece);
      if (how === 'abort') setImmediate(() => socket.resetAndDestroy());
      else setTimeout(() => socket.destroy(), patienceMillis);
    });
    socket.on('data', (chunk) => {
      if (text.length < 1_000_000) text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

/** What is wrong with an answer to a hostile client; null: nothing. */
export function faultIn(text: string): string | null {
  for (const [, status = '', head = ''] of text.matchAll(
    /HTTP\/1\.1 (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n/g,
  )) {
    if (status.startsWith('5') && status !== '503') return `status ${status}`;
    if (status.startsWith('4') && !/content-type: application\/problem\+json/i.test(head))
      return `${status} is no problem`;
    if (!/x-content-type-options: nosniff/i.test(head) && status !== '100')
      return `${status} lacks the headers`;
  }
  return null;
}
