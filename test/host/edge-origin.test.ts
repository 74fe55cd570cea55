/** Origins behind a real nginx: who is asked, what they are told, and that nothing goes round in circles (notes A2, A7, A10). */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../edge/lab/process.ts';
import { get, snapshot, startEdge, users } from '../support/edge.ts';
import type { Edge } from '../support/edge.ts';

interface Origin {
  readonly port: number;
  readonly server: Server;
  seen: IncomingHttpHeaders;
  asked: number;
  status: number;
  /** Where its answers send nginx itself (X-Accel-Redirect), but for that address. */
  elsewhere: string | null;
}

async function startOrigin(name: string, address = '127.0.0.1'): Promise<Origin> {
  const server = createServer((request, response) => {
    origin.seen = request.headers;
    origin.asked += 1;
    response.statusCode = origin.status;
    if (origin.elsewhere !== null && request.url !== origin.elsewhere)
      response.setHeader('x-accel-redirect', origin.elsewhere);
    response.end(name);
  });
  await new Promise<void>((resolve) => void server.listen(0, address, resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : 0;
  const origin: Origin = { port, server, seen: {}, asked: 0, status: 200, elsewhere: null };
  return origin;
}

const here = { hk1: { carriers: { cmi: true } } };

describe('origins', () => {
  let edge: Edge;
  let fallback: Origin;
  let one: Origin;
  let two: Origin;
  let six: Origin;
  let dead = 0;
  const told = (
    list: readonly {
      port: number;
      up: boolean;
      address?: string;
      weight?: number;
      carriers?: string[];
    }[],
  ): object => snapshot(here, { origins: { app: list.map((item) => ({ address: '127.0.0.1', ...item })) } });

  beforeAll(async () => {
    [fallback, one, two, six] = await Promise.all([
      startOrigin('fallback'),
      startOrigin('one'),
      startOrigin('two'),
      startOrigin('six', '::1'),
    ]);
    [dead = 0] = await freePorts(1);
    edge = await startEdge(({ port }) => ({
      origins: { app: { servers: [{ address: '127.0.0.1', port: fallback.port }] } },
      servers: {
        www: {
          names: ['www.example.test'],
          listen: [`127.0.0.1:${port}`],
          locations: [{ path: '/', origin: 'app', steer: true }],
        },
      },
    }));
  });
  afterAll(async () => {
    await edge.stop();
    for (const origin of [fallback, one, two, six]) {
      origin.server.closeAllConnections();
      await new Promise((resolve) => origin.server.close(resolve));
    }
  });
  const body = async (): Promise<string> => (await get(edge.port)).body;

  test('before the daemon has spoken, the config’s own list is used', async () => {
    expect(await body()).toBe('fallback');
  });

  test('the origin gets the client’s real address, not what the client wrote, and the site’s name (A10)', async () => {
    await get(edge.port, {
      from: '127.0.0.9',
      host: 'hk1.edge.test',
      headers: { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4' },
    });
    expect(fallback.seen['x-forwarded-for']).toBe('127.0.0.9');
    expect(fallback.seen['x-real-ip']).toBe('127.0.0.9');
    expect(fallback.seen.host).toBe('www.example.test');
  });

  test('only origins that the daemon calls up are asked, over IPv6 too', async () => {
    await edge.put(
      told([
        { port: one.port, up: true },
        { port: two.port, up: false },
      ]),
    );
    expect(new Set(await Promise.all(Array.from({ length: 20 }, body)))).toEqual(new Set(['one']));
    await edge.put(told([{ port: six.port, up: true, address: '::1' }]));
    expect(await body()).toBe('six');
  });

  test('weights share the requests, and weight 0 gets none', async () => {
    const list = [
      { port: one.port, up: true, weight: 3 },
      { port: two.port, up: true, weight: 1 },
      { port: fallback.port, up: true, weight: 0 },
    ];
    await edge.put(told(list));
    const answers = await Promise.all(Array.from({ length: 200 }, body));
    const ones = answers.filter((answer) => answer === 'one').length;
    expect(answers).not.toContain('fallback');
    expect(ones).toBeGreaterThan(110);
    expect(ones).toBeLessThan(185);
  });

  test('a user gets an origin that answers over a carrier of his network first, and any other when there is none', async () => {
    await edge.put(
      told([
        { port: one.port, up: true, weight: 1000, carriers: ['hkbn'] },
        { port: two.port, up: true, carriers: ['pccw', 'cmi'] },
      ]),
    );
    const of = async (client: string): Promise<string> => (await get(edge.port, { client })).body;
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => of(users.cm))))).toEqual(
      new Set(['two']),
    );
    expect(await of(users.ct)).toBe('one');
    two.status = 503;
    expect(await of(users.cm)).toBe('one');
    two.status = 200;
  });

  test('when all are called down they are tried all the same', async () => {
    await edge.put(told([{ port: one.port, up: false }]));
    expect(await body()).toBe('one');
  });

  test('an origin that cannot be reached, or answers 503, costs one try and no user (A7, A8)', async () => {
    await edge.put(
      told([
        { port: dead, up: true, weight: 1000 },
        { port: two.port, up: true },
      ]),
    );
    expect(await body()).toBe('two');
    one.status = 503;
    await edge.put(
      told([
        { port: one.port, up: true, weight: 1000 },
        { port: two.port, up: true },
      ]),
    );
    expect(await body()).toBe('two');
    one.status = 200;
    await edge.counted('edge_upstream_fail_total{pool="app"}', 3);
  });

  test('CDN-Loop is appended to what came, and our own id coming back is 508', async () => {
    await edge.put(told([{ port: one.port, up: true }]));
    await get(edge.port, { headers: { 'cdn-loop': ['other.cdn; a="b"', 'third'] } });
    expect(one.seen['cdn-loop']).toBe('other.cdn; a="b", third, hk1.causeway');
    expect((await get(edge.port, { headers: { 'cdn-loop': 'nothk1.causeway, hk1.causeway2' } })).status).toBe(
      200,
    );
    for (const value of ['hk1.causeway', 'x,hk1.causeway;v=1', ['x', 'hk1.causeway']]) {
      expect((await get(edge.port, { headers: { 'cdn-loop': value } })).status).toBe(508);
    }
  });

  test('an origin that sends nginx elsewhere on this node is followed: that is no loop', async () => {
    await edge.put(told([{ port: one.port, up: true }]));
    one.elsewhere = '/inside';
    try {
      expect(await get(edge.port)).toMatchObject({ status: 200, body: 'one' });
      expect(one.seen['cdn-loop']).toBe('hk1.causeway');
    } finally {
      one.elsewhere = null;
    }
  });

  test('an origin that is this node itself ends after one round, not after 67 (A2)', async () => {
    await edge.put(told([{ port: edge.port, up: true }]));
    expect((await get(edge.port)).status).toBe(508);
    // Three of the test before, and one round of this one.
    await edge.counted('edge_loop_detected_total', 4);
  });
});
