/** TLS with an authority of one's own, the ACL of docs/fleet.md, and a Redis without functions. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openFleetSession } from '../../src/adapters/fleet-session.ts';
import { RedisError } from '../../src/adapters/redis.ts';
import type { FleetConfig } from '../../src/types/fleet-config.ts';
import { freePorts } from '../../edge/lab/process.ts';
import { until } from '../support/edge.ts';
import { openMember } from '../support/fleet-member.ts';
import { fleetConfigAt } from '../../lab/fleet/redis-config.ts';
import { startRedis } from '../support/redis.ts';

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const words = { node: 'hk1', epoch: 1, seq: 1, content: 1, ageMillis: 0, text: '{}', ring: true };

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-fleet-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Publishes once and asks for a token, as a node does. */
async function askOnce(config: FleetConfig): Promise<string> {
  const session = await openFleetSession(config, 'hk1');
  try {
    const { master } = await session.publish(words);
    const speaker = { node: 'hk1', epoch: 1, master, leavers: 1, windowMillis: 1000 };
    const ask = {
      kind: 'leave',
      group: 'web4',
      witnesses: [],
      need: 0,
      needInSite: 0,
      strong: true,
    } as const;
    const answer = await session.ask(ask, speaker);
    await session.order('freeze', { version: 1, text: '{}' });
    await session.presences(['hk1']);
    await session.forget(['nobody']);
    return answer.kind;
  } finally {
    session.end();
  }
}

async function codeOf(config: FleetConfig): Promise<string> {
  try {
    await askOnce(config);
    return 'none';
  } catch (error) {
    return error instanceof RedisError ? error.code : String(error);
  }
}

test('the ACL of the documentation is enough, and one without functions too', async () => {
  const line = /^user causeway on >PASSWORD (.*)$/m.exec(readFileSync('docs/fleet.md', 'utf8'));
  const rights = line?.[1] ?? '';
  expect(rights).not.toBe('');
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const folder = folderOf();
  writeFileSync(join(folder, 'password'), 'of-the-fleet\n');
  const config = fleetConfigAt(redis.port, { user: 'causeway', passwordFile: join(folder, 'password') });
  expect(await redis.command(`ACL SETUSER causeway on >of-the-fleet ${rights}`)).toBe('+OK');
  await redis.command('ACL SETUSER default off');
  expect(await askOnce(config)).toBe('given');
  expect(await codeOf({ ...config, user: null, passwordFile: null })).toBe('login');
});

test('where functions are not allowed the same is done by EVAL', async () => {
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const folder = folderOf();
  writeFileSync(join(folder, 'password'), 'of-the-fleet\n');
  await redis.command('ACL SETUSER causeway on >of-the-fleet ~* &* +@all -function -fcall');
  const config = fleetConfigAt(redis.port, { user: 'causeway', passwordFile: join(folder, 'password') });
  expect(await askOnce(config)).toBe('given');
});

test('a policy that throws keys away is refused', async () => {
  const redis = await startRedis(['--maxmemory-policy', 'allkeys-lru']);
  closers.push(() => redis.stop());
  expect(await codeOf(fleetConfigAt(redis.port))).toBe('full');
});

test('over TLS the given authority is believed, and no other', async () => {
  const folder = folderOf();
  const at = (name: string): string => join(folder, name);
  execFileSync(
    'openssl',
    [
      'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=redis -addext subjectAltName=IP:127.0.0.1'.split(
        ' ',
      ),
      ['-keyout', at('key.pem'), '-out', at('cert.pem')],
    ].flat(),
    { stdio: 'ignore' },
  );
  const [tlsPort = 0] = await freePorts(1);
  const redis = await startRedis(
    [
      ['--tls-port', String(tlsPort), '--tls-cert-file', at('cert.pem'), '--tls-auth-clients', 'no'],
      ['--tls-key-file', at('key.pem'), '--tls-ca-cert-file', at('cert.pem')],
    ].flat(),
  );
  closers.push(() => redis.stop());
  const config = fleetConfigAt(tlsPort);
  expect(await askOnce({ ...config, tls: { caFile: at('cert.pem') } })).toBe('given');
  expect(await codeOf({ ...config, tls: { caFile: null } })).toBe('tls');
  expect(await codeOf({ ...config, tls: { caFile: at('missing.pem') } })).toBe('secret-file');
  expect(await codeOf(config)).not.toBe('none');
});

test('an order given on one node is taken by another', async () => {
  const redis = await startRedis();
  closers.push(() => redis.stop());
  const config = fleetConfigAt(redis.port, {});
  const [hk1, hk2] = [await openMember('hk1', config), await openMember('hk2', config)];
  closers.push(
    () => hk1.close(),
    () => hk2.close(),
  );
  await until('both are heard', async () =>
    [hk1, hk2].every(({ fleet }) => (fleet.others()?.length ?? 0) === 1) ? true : undefined,
  );
  const said = { schema: 1, node: 'hk1', author: 'ann', at: '2026-11-30T01:00:00Z' } as const;
  hk1.fleet.orders?.give({
    kind: 'freeze',
    ...said,
    freeze: { author: 'ann', reason: 'storm', at: said.at },
  });
  const taken = await until('it is taken', async () => {
    const orders = hk2.fleet.orders?.take() ?? [];
    return orders.length > 0 ? orders : undefined;
  });
  expect(taken).toMatchObject([{ kind: 'freeze', author: 'ann' }]);
});
