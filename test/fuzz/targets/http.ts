/** Requests to the daemon's HTTP server, as bytes on a connection: answered rightly or hung up on, never a 500. */
import { type HttpWorld, ask, openHttpWorld, token } from '../../support/http-world.ts';
import { attack, faultIn } from '../../support/hostile.ts';
import type { FuzzTarget } from '../target.ts';

let world: HttpWorld | null = null;

const withBody = (path: string, body: string): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
const get = (path: string): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);

export const httpTarget: FuzzTarget = {
  name: 'http',
  summary: "requests to the daemon's HTTP server",
  seeds: () => [
    ...[
      '/',
      '/healthz',
      '/metrics',
      '/v1/status',
      '/v1/uplinks/cmi',
      '/v1/explain/cmi',
      '/v1/history?since=2h&limit=5&kind=decision',
      '/v1/series',
      '/docs/json',
    ].map((path) => get(path)),
    withBody('/v1/freeze', '{"reason":"x","author":"kim","dryRun":true}'),
    withBody(
      '/v1/overrides',
      '{"selection":{"uplink":"cmi","service":null,"family":null},"state":"drain","author":"kim","reason":"x","ends":{"kind":"never"},"dryRun":true}',
    ),
    withBody(
      '/v1/release',
      '{"selection":{"uplink":"cmi","service":null,"family":null},"author":"kim","dryRun":true}',
    ),
  ],
  together: 24,
  async check(input) {
    world ??= await openHttpWorld();
    const fault = faultIn(await attack(world.port, { name: 'fuzz', pieces: [input], end: 'wait' }));
    if (fault !== null) return fault;
    return (await ask(world.port, { path: '/healthz' })).status === 200
      ? null
      : 'the server is not well afterwards';
  },
  async close() {
    await world?.close();
    world = null;
  },
};
