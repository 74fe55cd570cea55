/** `POST /v1/apply`: over the control socket alone, steps as they happen. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenControl } from '../../src/host/control-socket.ts';
import { applyRoutes, type RunApply } from '../../src/http/apply-routes.ts';
import { startHttp, type HttpServer } from '../../src/http/server.ts';
import { runApply } from '../../src/cli/apply-run.ts';
import type { ApplyRequest } from '../../src/types/wire/apply.ts';
import { nodeWith } from '../support/node-config.ts';
import { statusOf } from './host-node.ts';

const asked: ApplyRequest = { dryRun: false, yesReset: true, yesWithdraw: false };
let server: HttpServer;
let folder: string;
let path: string;
let run: RunApply;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-http-apply-'));
  path = join(folder, 'control.sock');
  server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    listeners: [(accept) => listenControl({ path, accept })],
    status: () => statusOf(),
    routes: [applyRoutes((one, say) => run(one, say))],
    checkToken: async () => ({ kind: 'fits' }),
  });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const config = () => {
  const made = nodeWith(['cmi']);
  return { ...made, paths: { ...made.paths, control: path } };
};

test('the command shows the steps of the daemon as they happen, and its result', async () => {
  let goOn: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const requests: ApplyRequest[] = [];
  run = async (one, say) => {
    requests.push(one);
    say({ step: 'check', text: 'bird -p accepts it' });
    await told;
    say({ step: 'confirm', text: 'confirmed' });
    return { kind: 'nothing' };
  };
  const said: string[] = [];
  const answer = await runApply(config(), asked, 'bird', ({ step }) => {
    said.push(step);
    // The end comes only after the beginning was seen.
    goOn();
  });
  expect(answer).toEqual({ kind: 'result', by: 'daemon', result: { kind: 'nothing' } });
  expect(said).toEqual(['check', 'confirm']);
  expect(requests).toEqual([asked]);
});

test('a daemon that dies in the middle is told, and is no success', async () => {
  let isReached: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  run = () => {
    isReached();
    return new Promise(() => undefined);
  };
  const answer = runApply(config(), asked, 'bird', () => undefined);
  void reached.then(() => server.close());
  expect(await answer).toMatchObject({
    kind: 'broken',
    text: expect.stringMatching(/broke off|closed the connection/),
  });
});

test('over the port it is forbidden, token or not', async () => {
  run = async () => ({ kind: 'nothing' });
  const answer = await fetch(`${server.url}/v1/apply`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify(asked),
  });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('control socket alone') });
});

test.each(['{}', '{"dryRun":1,"yesReset":true,"yesWithdraw":true}', '[]'])(
  'the body %s is refused',
  async (body) => {
    run = async () => ({ kind: 'nothing' });
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request({ socketPath: path, path: '/v1/apply', method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(body);
    });
    expect(status).toBe(400);
  },
);
