/** How Redis is spoken to: passwords, an account with the least rights, TLS. Whatever is refused means the node's share, no 5xx. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../edge/lab/process.ts';
import { certificate, folder, get, startEdge, until } from '../support/edge.ts';
import { flood } from '../support/flood.ts';
import { limited, page } from '../support/limited.ts';
import { startRedis } from '../support/redis.ts';

/** Limits of the fleet at /hot/ and /slow/. */
function site(port: number, password?: string): ReturnType<typeof limited> {
  const fleet = { rate: '500/s', burst: 200, key: ['route'], scope: 'fleet' };
  const limits = { hot: fleet, slow: { ...fleet, rate: '1/min', burst: 4 } };
  const locations = Object.keys(limits).map((name) => ({ path: `/${name}/`, limits: [name] }));
  const secret = password === undefined ? {} : { password_file: password };
  return limited(limits, locations, { redis: { address: { host: '127.0.0.1', port }, ...secret } });
}

test('a wrong password is told in the log and means the local share, never a 5xx', async () => {
  const redis = await startRedis(['--requirepass', 'right']);
  onTestFinished(() => redis.stop());
  const edge = await startEdge((place) => site(redis.port, `${place.dir}/password`)(place), {
    workers: 1,
    prepare: (dir) => writeFileSync(`${dir}/password`, 'wrong\n'),
  });
  onTestFinished(() => edge.stop());
  // The share of a limit that a slow machine goes beyond, too.
  const result = await flood(edge.port, { path: `/slow${page}`, connections: 4, seconds: 1 });
  expect(Object.keys(result.answers).sort()).toEqual(['200', '429']);
  expect(edge.log()).toContain('WRONGPASS');
  writeFileSync(`${edge.dir}/password`, 'right\n');
  await edge.reload();
  await until('leases flow', async () => {
    await get(edge.port, { path: `/hot${page}` });
    return (await edge.metric('edge_lease_calls_total{result="granted"}')) > 0 || undefined;
  });
});

test('the account of the docs is enough for Redis, and for nothing but the limits', async () => {
  const acl = /ACL SETUSER edge on >PASSWORD (.*)/.exec(readFileSync('docs/edge.md', 'utf8'))?.[1] ?? '';
  const redis = await startRedis(['--user', 'edge', 'on', '>right', ...acl.split(' ')]);
  onTestFinished(() => redis.stop());
  const withUser = { redis: { address: { host: '127.0.0.1', port: redis.port }, user: 'edge' } };
  const edge = await startEdge(
    (place) => {
      const change = site(redis.port, `${place.dir}/password`)(place);
      return { ...change, redis: { ...withUser.redis, password_file: `${place.dir}/password` } };
    },
    { workers: 1, prepare: (dir) => writeFileSync(`${dir}/password`, 'right') },
  );
  onTestFinished(() => edge.stop());
  await until('leases flow', async () => {
    await get(edge.port, { path: `/hot${page}` });
    return (await edge.metric('edge_lease_calls_total{result="granted"}')) > 0 || undefined;
  });
  expect(edge.troubles()).toEqual([]);
});

test('Redis over TLS gives leases when its certificate is right, and none when it is not', async () => {
  const dir = folder();
  await certificate(dir);
  const [port = 0] = await freePorts(1);
  const tls = [
    '--tls-port',
    String(port),
    '--tls-cert-file',
    `${dir}/cert.pem`,
    '--tls-key-file',
    `${dir}/key.pem`,
    '--tls-ca-cert-file',
    `${dir}/cert.pem`,
    '--tls-auth-clients',
    'no',
  ];
  const redis = await startRedis(tls);
  onTestFinished(() => redis.stop());
  const named = (name: string) => (place: { readonly dir: string; readonly port: number }) => ({
    ...site(port)(place),
    redis: {
      address: { host: '127.0.0.1', port },
      tls: { name, ca: `${dir}/cert.pem` },
      connect: '1s',
      reply: '1s',
    },
  });
  const edge = await startEdge(named('www.example.test'), { workers: 1, dir });
  onTestFinished(() => edge.stop());
  expect((await get(edge.port, { path: `/hot${page}` })).status).toBe(200);
  await edge.counted('edge_lease_calls_total{result="granted"}', 1);
  await edge.rewrite(named('other.example.test'));
  await edge.reload();
  expect((await get(edge.port, { path: `/slow${page}` })).status).toBe(200);
  // A request that finds somebody else asking, or the breaker open, is served by this node's share: ask until one asks.
  const refusal = 'redis gave no lease: tls: certificate host mismatch';
  await until('the refusal is logged', async () => {
    expect((await get(edge.port, { path: `/slow${page}` })).status).not.toBe(500);
    return edge.log().includes(refusal) || undefined;
  });
});
