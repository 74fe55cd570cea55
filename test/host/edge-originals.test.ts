/** Each defect of the original listings, seen on them; the tests beside this file see that the edge does not have it. */
import { existsSync, readdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeAsnMmdb } from '../../edge/mmdb-writer.ts';
import { asnRows, get, until, users } from '../support/edge.ts';
import { flood } from '../support/flood.ts';
import { script, startOriginals } from '../support/originals.ts';
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

  test('A3: a database that was opened once is used for ever, whatever comes after it', async () => {
    const carrier = async (): Promise<unknown> =>
      (await get(old.port, { path: '/six', client: users.cm })).headers['x-carrier'];
    // Both workers have opened it after some requests.
    for (let i = 0; i < 20; i += 1) expect(await carrier()).toBe('mobile');
    const rows = asnRows.map((row) => (row.asn === 9808 ? { ...row, asn: 4134 } : row));
    writeFileSync(`${old.dir}/new.mmdb`, writeAsnMmdb(rows));
    renameSync(`${old.dir}/new.mmdb`, `${old.dir}/asn.mmdb`);
    for (let i = 0; i < 20; i += 1) expect(await carrier()).toBe('mobile');
  });

  test('A5: the name that it loads the library by is there with the development package alone', async () => {
    const lua = "io.write(tostring((pcall(require('ffi').load, 'libmaxminddb'))))";
    const { stdout } = await execa('luajit', ['-e', lua]);
    const folders = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => `/usr/lib/${name}`)];
    const linked = folders.some((folder) => existsSync(`${folder}/libmaxminddb.so`));
    expect(stdout).toBe(String(linked));
  });

  test('A7, A8: an origin that is away is a 502, though another one is there', async () => {
    expect((await get(old.port, { path: '/dead/x' })).status).toBe(502);
  });

  test('A9: six numbers do not know the Mobile user of a province', async () => {
    const reply = await get(old.port, { path: '/six', client: '198.18.6.7' });
    expect(reply.headers['x-carrier']).toBe('default');
  });

  test('A10: what a client forges in X-Forwarded-For goes on to the origin, in front', async () => {
    const reply = await get(old.port, { path: '/xff/', from: '127.0.0.9', client: '1.2.3.4' });
    expect(reply.body.trim()).toBe('1.2.3.4, 127.0.0.9');
  });

  test('A11: over IPv6 nobody answers', async () => {
    await expect(execa('curl', ['-sS', `http://[::1]:${old.port}/asn`])).rejects.toThrow('Failed to connect');
  });

  test('A12, A13: a POST too is sent away, to an address without a name, and anybody may store that', async () => {
    const reply = await get(old.port, { path: '/moved', method: 'POST' });
    expect([reply.status, reply.headers.location]).toEqual([302, 'http://10.0.0.11/moved']);
    expect(reply.headers['cache-control']).toBeUndefined();
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

  test('B4: two limits share one bucket', async () => {
    const codes: number[] = [];
    for (const path of ['/two-keys', '/two-keys', '/other-limit', '/other-limit'])
      codes.push((await get(old.port, { path, client: '192.0.2.40' })).status);
    expect(codes).toEqual([200, 200, 200, 429]);
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

  test('B7: numbers that go through text lose all below 100 µs, and a fraction that is returned is cut off', async () => {
    expect(await redis.command('EVAL "return tostring(1795998213.594537)" 0')).toContain('1795998213.5945');
    expect(await redis.command('EVAL "return tostring(1795998213.594537)" 0')).not.toContain('.59453');
    expect(await redis.command('EVAL "return 3.99" 0')).toBe(':3');
  });

  test('B9: a script is gone after a flush, as after a restart or at a new master', async () => {
    const sha = (await redis.command('SCRIPT LOAD "return 1"')).split('\r\n')[1] ?? '';
    expect(await redis.command(`EVALSHA ${sha} 0`)).toBe(':1');
    await redis.command('SCRIPT FLUSH');
    expect(await redis.command(`EVALSHA ${sha} 0`)).toContain('NOSCRIPT');
  });

  test('B11: its answer is yes or no, and nobody learns how long to wait', async () => {
    expect(await redis.command(`EVAL "${script.replaceAll('\n', ' ')}" 1 limit:x 1 1`)).toBe(':1');
  });

  test('B14: each request of each client asks Redis', async () => {
    await redis.command('CONFIG RESETSTAT');
    for (let i = 1; i <= 20; i += 1) await get(old.port, { path: '/redis', client: `192.0.2.${i}` });
    expect(await redis.command('INFO commandstats')).toContain('cmdstat_eval:calls=20,');
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

  test('A4: a mapped database that is cut short kills the worker', async () => {
    expect((await get(old.port, { path: '/mapped', client: users.cm })).headers['x-found']).toBe('true');
    truncateSync(`${old.dir}/mapped.mmdb`, 0);
    await get(old.port, { path: '/mapped', client: users.cm }).catch(() => undefined);
    await until('a worker dies', async () => {
      await get(old.port, { path: '/mapped', client: users.cm }).catch(() => undefined);
      return old.log().includes('exited on signal 7') || undefined;
    });
  });
});
