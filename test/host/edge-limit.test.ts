/** Limits of one node on a real nginx: notes §3 (B1–B5, B12), cases F1, F4, F6; totals are measured, not single answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, startEdge, until } from '../support/edge.ts';
import type { Edge, Reply } from '../support/edge.ts';
import { flood } from '../support/flood.ts';
import { limited, page, perClient } from '../support/limited.ts';

const codes = (replies: readonly Reply[]): readonly number[] => replies.map((reply) => reply.status);

describe('limits of one node', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(
      limited(
        {
          slow: perClient('1/min', 3),
          second: perClient('1/s', 1),
          wide: { rate: '1/min', burst: 5, key: ['client-wide'] },
          shadow: perClient('1/min', 1, { shadow: true }),
          nat: perClient('1/min', 2, { classes: [{ networks: ['cm'], rate: '1/min', burst: 6 }] }),
          tight: { rate: '1/min', burst: 1, key: ['route'] },
          costly: perClient('1/min', 10, { cost: 5 }),
          hot: { rate: '1000/s', burst: 100, key: ['route'] },
          token: { rate: '1/min', burst: 2, key: ['header:x-api-key'] },
        },
        [
          { path: '/', limits: ['slow'] },
          { path: '/second/', limits: ['second'] },
          { path: '/wide/', limits: ['wide'] },
          { path: '/shadow/', limits: ['shadow'] },
          { path: '/nat/', limits: ['nat'] },
          { path: '/two/', limits: ['slow', 'tight'] },
          { path: '/costly/', limits: ['costly'] },
          { path: '/hot/', limits: ['hot'] },
          { path: '/token/', limits: ['token'] },
        ],
      ),
    );
  });
  afterAll(() => edge.stop());
  const ask = (path: string, client: string, headers: Record<string, string> = {}): Promise<Reply> =>
    get(edge.port, { path, client, headers });
  const times = async (
    count: number,
    path: string,
    client: (i: number) => string,
  ): Promise<readonly number[]> => {
    const replies: Reply[] = [];
    for (let i = 0; i < count; i += 1) replies.push(await ask(path, client(i)));
    return codes(replies);
  };

  test('the burst passes, the next one is 429 with Retry-After and no-store, and another client is not touched (B5)', async () => {
    expect(await times(3, page, () => '192.0.2.1')).toEqual([200, 200, 200]);
    const refused = await ask(page, '192.0.2.1');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(refused.headers['cache-control']).toBe('no-store');
    expect((await ask(page, '192.0.2.2')).status).toBe(200);
  });

  test('a client that waits as long as Retry-After says is served', async () => {
    expect(await times(2, '/second/', () => '192.0.2.3')).toEqual([200, 429]);
    const refused = await ask('/second/', '192.0.2.3');
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    expect((await ask('/second/', '192.0.2.3')).status).toBe(200);
  });

  test('addresses of one /64 share a bucket, two /64 do not, and a /48 is held by the wide limit (B3, F4)', async () => {
    expect(await times(4, page, (i) => `2001:db8:7::${i + 1}`)).toEqual([200, 200, 200, 429]);
    expect((await ask(page, '2001:db8:7:1::1')).status).toBe(200);
    expect(await times(6, '/wide/', (i) => `2001:db8:8:${i + 1}::1`)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('::ffff:192.0.2.9 is 192.0.2.9, and two mapped addresses are two clients (F4)', async () => {
    expect(await times(3, page, (i) => (i % 2 ? '::ffff:192.0.2.9' : '192.0.2.9'))).toEqual([200, 200, 200]);
    expect((await ask(page, '::ffff:192.0.2.9')).status).toBe(429);
    expect((await ask(page, '::ffff:198.51.100.9')).status).toBe(200);
  });

  test('a stranger’s X-Forwarded-For changes nothing, and behind a trusted proxy the rightmost untrusted address counts (A10, F4)', async () => {
    const forged = (i: number): Promise<Reply> =>
      get(edge.port, { path: page, from: '127.0.0.77', headers: { 'x-forwarded-for': `203.0.113.${i}` } });
    expect(codes([await forged(1), await forged(2), await forged(3), await forged(4)])).toEqual([
      200, 200, 200, 429,
    ]);
    const list = (i: number): Promise<Reply> => ask(page, `10.9.9.${i}, 192.0.2.50, 127.0.0.1`);
    expect(codes([await list(1), await list(2), await list(3), await list(4)])).toEqual([200, 200, 200, 429]);
  });

  test('a proxy that names no client gets one small bucket and an alarm, and takes nothing from clients', async () => {
    expect(codes([await get(edge.port, { path: page }), await ask(page, 'unknown')])).toEqual([200, 200]);
    await edge.counted('edge_unidentified_total', 2);
    expect((await ask(page, '192.0.2.60')).status).toBe(200);
  });

  test('many users behind a carrier’s NAT get the class of their network', async () => {
    expect(await times(7, '/nat/', () => '198.18.2.200')).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(await times(3, '/nat/', () => '198.18.0.200')).toEqual([200, 200, 429]);
  });

  test('a shadow limit counts what it would refuse and refuses nothing', async () => {
    expect(await times(3, '/shadow/', () => '192.0.2.70')).toEqual([200, 200, 200]);
    await edge.counted('edge_ratelimit_total{policy="shadow",result="shadow"}', 2);
  });

  test('what an earlier limit took comes back when a later one refuses', async () => {
    expect(await times(4, '/two/', () => '192.0.2.80')).toEqual([200, 429, 429, 429]);
    expect(await times(3, page, () => '192.0.2.80')).toEqual([200, 200, 429]);
  });

  test('a costly request takes as many tokens as it costs', async () => {
    expect(await times(3, '/costly/', () => '192.0.2.90')).toEqual([200, 200, 429]);
  });

  test('an API key is one user from any address, and a request without one is limited by address', async () => {
    const key = (client: string): Promise<Reply> => ask('/token/', client, { 'x-api-key': 'k|1' });
    expect(codes([await key('192.0.2.1'), await key('192.0.2.2'), await key('192.0.2.3')])).toEqual([
      200, 200, 429,
    ]);
    expect(await times(3, '/token/', () => '192.0.2.4')).toEqual([200, 200, 429]);
  });

  test('60 connections at once on a burst of 3 get 3, whichever worker takes them (B1, F1)', async () => {
    for (let wave = 0; wave < 10; wave += 1) {
      const replies = await Promise.all(Array.from({ length: 60 }, () => ask(page, `203.0.113.${wave}`)));
      const passed = codes(replies).filter((code) => code === 200).length;
      expect(passed).toBe(3);
    }
  });

  test('under overload one key admits its rate and burst, no more and hardly less (F1)', async () => {
    const { answers, seconds } = await flood(edge.port, {
      path: '/hot/index.html',
      connections: 16,
      seconds: 3,
    });
    const admitted = answers[200] ?? 0;
    const ideal = 100 + 1000 * seconds;
    expect(answers[429] ?? 0).toBeGreaterThan(admitted / 4);
    expect(admitted / ideal).toBeGreaterThan(0.93);
    expect(admitted / ideal).toBeLessThan(1.02);
  });

  test('the metrics are text that Prometheus reads: each sample after its HELP and TYPE, no client address anywhere', async () => {
    const lines = (await edge.metrics()).trimEnd().split('\n');
    const sample = /^(edge_\w+)(\{(\w+="[^"\\\n]*")(,\w+="[^"\\\n]*")*\})? -?\d+(\.\d+)?(e[+-]?\d+)?$/;
    let current = '';
    for (const line of lines) {
      if (line.startsWith('# HELP ')) current = line.split(' ')[2] ?? '';
      else if (line.startsWith('# TYPE '))
        expect(line.split(' ').slice(2)).toEqual([current, expect.stringMatching(/^(counter|gauge)$/)]);
      else expect([sample.test(line), line.split(/[ {]/)[0]]).toEqual([true, current]);
    }
    expect(lines.join('\n')).not.toMatch(/192\.0\.2\.|198\.18\./);
  });

  test('after all that the log holds no error', () => {
    expect(edge.troubles()).toEqual([]);
  });
});

test('reload keeps the buckets, a lowered limit holds at once, and a raised one too (B4)', async () => {
  const at = (rate: string, burst: number): ReturnType<typeof limited> =>
    limited({ p: perClient(rate, burst) }, [{ path: '/', limits: ['p'] }], { ratelimit_headers: true });
  const edge = await startEdge(at('1/min', 5));
  const ask = (client: string): Promise<Reply> => get(edge.port, { path: page, client });
  const status = async (client: string, count: number): Promise<readonly number[]> => {
    const out: number[] = [];
    for (let i = 0; i < count; i += 1) out.push((await ask(client)).status);
    return out;
  };
  try {
    const first = await ask('192.0.2.1');
    expect([first.headers['ratelimit'], first.headers['ratelimit-policy']]).toEqual([
      '"p";r=4',
      '"p";q=5;w=300',
    ]);
    expect(await status('192.0.2.1', 5)).toEqual([200, 200, 200, 200, 429]);
    await edge.reload();
    // Nor do counts get lost: the old workers' last ones are there.
    await edge.counted('edge_ratelimit_total{policy="p",result="allow"}', 5);
    expect(await status('192.0.2.1', 1)).toEqual([429]);
    await edge.rewrite(at('1/min', 2));
    await edge.reload();
    expect(await status('192.0.2.1', 1)).toEqual([429]);
    // A token of the new bucket, and one for the other worker.
    expect(Number((await ask('192.0.2.1')).headers['retry-after'])).toBeLessThanOrEqual(120);
    expect(await status('192.0.2.2', 3)).toEqual([200, 200, 429]);
    await edge.rewrite(at('1000/s', 10));
    await edge.reload();
    await until(
      'the raised limit holds',
      async () => ((await ask('192.0.2.1')).status === 200 ? true : undefined),
      2000,
    );
  } finally {
    await edge.stop();
  }
});

test('a zone full of other clients does not free a heavy one, counts what it pushes out, and answers no 5xx (F6)', async () => {
  const edge = await startEdge(
    (place) => ({
      ...limited({ p: perClient('1/h', 3), far: { rate: '1/h', burst: 1_000_000, key: ['client-wide'] } }, [
        { path: '/', limits: ['far', 'p'] },
      ])(place),
      zones: { limits: '1m', wide: '1m', leases: '1m' },
    }),
    { workers: 1 },
  );
  try {
    const heavy = (): Promise<Reply> => get(edge.port, { path: page, client: '192.0.2.1' });
    expect(codes([await heavy(), await heavy(), await heavy(), await heavy()])).toEqual([200, 200, 200, 429]);
    let client = 0;
    for (let round = 0; round < 3; round += 1) {
      const { answers } = await flood(edge.port, {
        path: page,
        connections: 8,
        requests: 6000,
        headers: () =>
          `x-forwarded-for: 10.${(client >> 16) & 255}.${(client >> 8) & 255}.${(client += 1) & 255}`,
      });
      expect(Object.keys(answers)).toEqual(['200']);
      expect((await heavy()).status).toBe(429);
    }
    expect(await edge.metric('edge_evicted_total{dict="edge_rl"}')).toBeGreaterThan(1000);
    expect(edge.troubles()).toEqual([]);
  } finally {
    await edge.stop();
  }
});
