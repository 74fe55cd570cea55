/** Each defect of the original listings, seen on them; the tests beside this file see that the edge does not have it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, until, users } from '../support/edge.ts';
import { flood } from '../support/flood.ts';
import { startOriginals } from '../support/originals.ts';
import type { Originals } from '../support/originals.ts';
import { startRedis } from '../support/redis.ts';
import type { Redis } from '../support/redis.ts';

describe('the original ways', () => {
  let redis: Redis;
  let old: Originals;
  beforeAll(async () => {
    redis = await startRedis();
    old = await startOriginals(redis.port);
  });
  afterAll(async () => {
    await old.stop();
    await redis.stop();
  });

  test('A1: res.asn is no field of an ASN database, so nobody is ever steered', async () => {
    for (const client of [users.ct, users.cu, users.cm]) {
      const reply = await get(old.port, { path: '/asn', client });
      expect([reply.status, reply.headers['x-carrier']]).toEqual([200, 'default']);
    }
  });

  test('A2: the default node proxies to itself until its connections are used up', async () => {
    const reply = await get(old.port, { path: '/loop/' });
    expect(reply.status).toBeGreaterThanOrEqual(500);
    const hops = Number((await get(old.port, { path: '/hops' })).body);
    expect(hops).toBeGreaterThan(20);
  });

  test('B3, F4: each address of one /64 is another client, and each costs two entries that never go', async () => {
    for (let i = 1; i <= 8; i += 1) {
      expect((await get(old.port, { path: '/two-keys', client: `2001:db8:7::${i}` })).status).toBe(200);
    }
    expect(Number((await get(old.port, { path: '/keys' })).body)).toBeGreaterThanOrEqual(16);
  });

  test('B5: its 429 has no Retry-After, and does not say no-store', async () => {
    let reply = await get(old.port, { path: '/two-keys', client: '192.0.2.9' });
    while (reply.status === 200) reply = await get(old.port, { path: '/two-keys', client: '192.0.2.9' });
    expect([reply.status, reply.headers['retry-after'], reply.headers['cache-control']]).toEqual([
      429,
      undefined,
      undefined,
    ]);
  });

  test('F6: other clients push a heavy one out of the full zone, and it is free again', async () => {
    const heavy = async (): Promise<number> =>
      (await get(old.port, { path: '/two-keys', client: '192.0.2.77' })).status;
    const first = [await heavy(), await heavy(), await heavy(), await heavy()];
    expect(first).toEqual([200, 200, 200, 429]);
    let client = 0;
    await flood(old.port, {
      path: '/two-keys',
      connections: 8,
      requests: 9000,
      headers: () => {
        client += 1;
        return `x-forwarded-for: 10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
      },
    });
    expect(await heavy()).toBe(200);
  });

  test('B8: what it keeps in Redis never expires', async () => {
    await get(old.port, { path: '/redis', client: '192.0.2.80' });
    expect(await redis.command('TTL limit:192.0.2.80')).toBe(':-1');
  });

  test('B10, F5: while Redis hangs, every request is a 500', async () => {
    const load = flood(old.port, { path: '/redis', connections: 6, seconds: 1.5 });
    await until('requests are counted', async () =>
      (await redis.command('DBSIZE')) === ':0' ? undefined : true,
    );
    redis.child().kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 700));
    redis.child().kill('SIGCONT');
    expect((await load).answers['500']).toBeGreaterThan(50);
  });
});
