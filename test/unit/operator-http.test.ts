/** Commands over the port: who may give them, and what is refused. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refused } from '../../src/daemon/operator-scene.ts';
import { operatorRoutes } from '../../src/http/operator-routes.ts';
import { startHttp } from '../../src/http/server.ts';
import { deskConfig, type DeskWorld, openDeskWorld } from '../support/operator-desk.ts';
import { statusOf } from './host-node.ts';

let world: DeskWorld;

beforeEach(async () => {
  world = await openDeskWorld(deskConfig());
});
afterEach(() => world.close());

describe('over the port', () => {
  const token = 'correct horse battery';
  const body = { reason: 'x', author: 'kim', dryRun: true };
  const post = (headers: Readonly<Record<string, string>>, sent: string = JSON.stringify(body)) =>
    fetch(`${world.server.url}/v1/freeze`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: sent,
    });
  const nameToken = (): string => {
    const tokenFile = join(world.folder, 'token');
    world.settings.take({
      ...world.settings.now().config,
      http: { ...world.settings.now().config.http, tokenFile },
    });
    return tokenFile;
  };

  test('nobody commands without a token file', async () => {
    const answer = await post({ authorization: `Bearer ${token}` });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  test('the token is asked for, compared, and read anew at each use', async () => {
    const file = nameToken();
    expect((await post({ authorization: `Bearer ${token}` })).status).toBe(503);
    writeFileSync(file, `${token}\n`);
    chmodSync(file, 0o600);
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: `Bearer ${token}x` })).status).toBe(401);
    expect((await post({ authorization: `bearer ${token}` })).status).toBe(401);
    writeFileSync(file, 'correct-horse-battery');
    expect((await post({ authorization: 'Bearer correct-horse-battery' })).status).toBe(200);
    writeFileSync(file, 'another-horse-battery');
    expect((await post({ authorization: 'Bearer correct-horse-battery' })).status).toBe(401);
    writeFileSync(file, 'short');
    expect((await post({ authorization: 'Bearer short' })).status).toBe(503);
  });

  test('a command that cannot be taken now is told to come back', async () => {
    const busy = () => Promise.resolve(refused(503, 'too many commands wait already: try again'));
    const commands = { override: busy, release: busy, freeze: busy, thaw: busy, reload: busy };
    const server = await startHttp({
      host: '127.0.0.1',
      port: 0,
      status: () => statusOf(),
      routes: [operatorRoutes(commands)],
      checkToken: () => Promise.resolve({ kind: 'fits' }),
    });
    try {
      const answer = await fetch(`${server.url}/v1/freeze`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await answer.json()).toMatchObject({
        code: 'busy',
        detail: expect.stringContaining('too many'),
      });
    } finally {
      await server.close();
    }
  });

  test.each<[string, string, number]>([
    ['no JSON', '{', 400],
    ['a list', '[]', 400],
    ['another key', JSON.stringify({ ...body, until: 1 }), 400],
    ['a reason in two lines', JSON.stringify({ ...body, reason: 'a\nb' }), 400],
    ['too much', JSON.stringify({ ...body, reason: 'x'.repeat(9000) }), 413],
  ])('%s is a problem with its place', async (_name, sent, status) => {
    writeFileSync(nameToken(), 'correct-horse-battery');
    const answer = await post({ authorization: 'Bearer correct-horse-battery' }, sent);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ status, type: 'about:blank' });
  });
});
