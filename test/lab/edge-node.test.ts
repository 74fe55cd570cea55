/**
 * The daemon and a real nginx on the node of the lab: what the carriers' routes go through, users feel at once. The
 * networks are made-up: `cm` has cmi alone, so that its loss shows; `any` has a second carrier.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blackHole } from '../../lab/faults/packet-filter.ts';
import { carriers, carrierPlan, targets } from '../../lab/network/addresses.ts';
import { startIn, stopPidFile } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { nodeFiles, type NodeOptions } from '../../lab/node/config.ts';
import { edgeMetric, edgeStatus, startEdge, stopEdge, visit } from '../../lab/node/edge.ts';
import { type Lab, startLab, waitAnnounced, waitHealthy } from '../../lab/node/lab.ts';
import { readStatus, startDaemon, stopDaemon, writeNodeConfig } from '../../lab/node/program.ts';
import { edgeSnapshot } from '../../src/types/wire/node-to-edge.ts';

const patient = { timeoutMillis: 60_000 };
const users = { cm: '192.0.2.7', any: '192.0.2.200' };
const networks = {
  cm: { carriers: ['cmi'], prefix: '192.0.2.0/25' },
  any: { carriers: ['cmi', 'pccw'], prefix: '192.0.2.128/25' },
};
const uplinks = Object.fromEntries(carriers.map(({ name, node: own }) => [name, { source: [own[4]] }]));
const [first] = targets;
const origin = { address: first?.address[4] ?? '', port: 8081 };
const node: NodeOptions = {
  patience: '1s',
  recovery: { clean: '2s', hold: '2s' },
  edge: {
    host: 'hk1.edge.test',
    ttl: '3s',
    probe: { interval: '200ms', timeout: '500ms' },
    origins: { app: [{ ...origin, via: ['cmi', 'pccw'] }] },
  },
};

let lab: Lab;
beforeAll(async () => {
  lab = await startLab(`e${process.pid % 100_000}`, { node });
  await startOrigin();
  await startEdge(lab.network.namespace('node'), files(), {
    node: 'hk1',
    host: 'hk1.edge.test',
    networks,
    origins: [{ address: '127.0.0.1', port: 9 }],
    uplinks,
  });
  await waitHealthy(lab);
});
afterAll(() => lab?.remove());

const files = () => nodeFiles(lab.network);
const originPid = (): string => join(lab.network.folder, 'origin.pid');

async function startOrigin(): Promise<void> {
  const program = join(lab.network.folder, 'origin.mjs');
  const answer = `response.end('origin for ' + request.headers['x-forwarded-for'] + ' by ' + request.socket.remoteAddress)`;
  writeFileSync(
    program,
    `import { createServer } from 'node:http';
createServer((request, response) => ${answer}).listen(${origin.port}, '::');\n`,
  );
  await startIn({
    namespace: lab.network.namespace('net'),
    argv: [process.execPath, program],
    log: join(lab.network.folder, 'origin.log'),
    pidFile: originPid(),
  });
}

/** Counts of decisions by reason since the last look. */
const reasons = async (network: string, reason: string): Promise<number> => {
  const labels = `network="${network}",action="serve",reason="${reason}"`;
  return edgeMetric(files(), `edge_steer_total{${labels}}`);
};

/** Visits until a visit is decided for that reason. */
async function untilReason(client: string, network: string, reason: string): Promise<void> {
  const before = await reasons(network, reason);
  await waitUntil(
    `a user of ${network} to be served: ${reason}`,
    async () => {
      await visit(lab.network, client);
      return (await reasons(network, reason)) > before;
    },
    patient,
  );
}

const told = () => edgeSnapshot.parse(JSON.parse(readFileSync(files().edge.file, 'utf8')));

test('nginx steers by what the daemon measures: served while CMI is up, nowhere to go while it is dead, back after it', async () => {
  await untilReason(users.cm, 'cm', 'local');
  expect(told().nodes['hk1']).toMatchObject({ accepting: true, host: 'hk1.edge.test' });
  const fault = blackHole({ carrier: 'cmi' });
  await fault.apply(lab.network);
  await untilReason(users.cm, 'cm', 'nowhere');
  // The origin is fetched over the uplink over which it still answers.
  await waitUntil(
    'the origin to be asked over pccw',
    async () =>
      (await visit(lab.network, users.cm)).body.endsWith(`by ::ffff:${carrierPlan('pccw').node[4]}`),
    patient,
  );
  // Whoever has another carrier here is served by it.
  await untilReason(users.any, 'any', 'local');
  const status = await readStatus(lab.network);
  const cmi = status?.uplinks.find(({ uplink }) => uplink === 'cmi');
  expect(cmi?.families['4']?.health).toBe('failed');
  expect(told().nodes['hk1']?.uplinks['cmi']).toMatchObject({ score: 0, families: { '4': { up: false } } });
  await fault.mend(lab.network);
  await untilReason(users.cm, 'cm', 'local');
});

test('an origin that refuses is taken out by its probes through the uplinks, and no uplink is blamed for it', async () => {
  const up = () => told().origins?.['app']?.[0]?.up;
  await waitUntil('the origin to be up', () => up() === true, patient);
  expect(await visit(lab.network, users.cm)).toMatchObject({
    status: 200,
    body: expect.stringContaining(`origin for ${users.cm}`) as unknown,
  });
  await stopPidFile(originPid(), 'SIGKILL');
  await waitUntil('the origin to be down', () => up() === false, patient);
  const status = await readStatus(lab.network);
  expect(status?.edge?.origins[0]?.via.map(({ uplink, state, text }) => [uplink, state, text])).toEqual([
    ['cmi', 'down', 'refused'],
    ['pccw', 'down', 'refused'],
  ]);
  expect(status?.uplinks.map(({ families }) => families['4']?.health)).toEqual([
    'healthy',
    'healthy',
    'healthy',
  ]);
  await startOrigin();
  await waitUntil('the origin to be up again', () => up() === true, patient);
});

test('an nginx that is gone delays nobody, is an alarm after the ttl, and knows the state when it comes back', async () => {
  await stopEdge(files());
  const alarmed = await waitUntil(
    'the alarm',
    async () => (await readStatus(lab.network))?.alarms.find(({ code }) => code === 'edge-behind'),
    patient,
  );
  expect(alarmed.text).toContain(files().edge.socket);
  const status = await readStatus(lab.network);
  expect(status?.tickAgeMillis).toBeLessThan(2000);
  await startEdge(lab.network.namespace('node'), files(), {
    node: 'hk1',
    host: 'hk1.edge.test',
    networks,
    origins: [{ address: '127.0.0.1', port: 9 }],
    uplinks,
  });
  // From the file, before anybody has told it: it is steered from the first request.
  expect((await edgeStatus(files()))?.state).not.toBeNull();
  await waitUntil(
    'the alarm to end',
    async () => (await readStatus(lab.network))?.alarms.every(({ code }) => code !== 'edge-behind'),
    patient,
  );
});

test('a daemon that is gone is noticed by the ttl: origins as last told, no redirect; its successor speaks above it', async () => {
  const before = told();
  await stopDaemon(lab.network, 'SIGKILL');
  await untilReason(users.cm, 'cm', 'stale');
  expect(await visit(lab.network, users.cm)).toMatchObject({
    status: 200,
    body: expect.stringContaining(`origin for ${users.cm}`) as unknown,
  });
  await startDaemon(lab.network);
  await untilReason(users.cm, 'cm', 'local');
  const after = await waitUntil(
    'the successor to have written',
    () => {
      const now = told();
      return now.epoch > before.epoch ? now : null;
    },
    patient,
  );
  expect(after.origins).toEqual(before.origins);
});

test('in observe mode nothing is written and nobody is told', async () => {
  // An observer leaves what it finds, so what it is to find must be whole.
  await waitHealthy(lab);
  await stopDaemon(lab.network, 'SIGTERM');
  const before = readFileSync(files().edge.file, 'utf8');
  writeNodeConfig(lab.network, node);
  const text = readFileSync(files().config, 'utf8').replace('mode: live', 'mode: observe');
  writeFileSync(files().config, text);
  await startDaemon(lab.network);
  await waitAnnounced(lab);
  const status = await waitUntil(
    'the observer to have looked',
    async () => {
      const now = await readStatus(lab.network);
      return now?.edge?.accepting === true ? now : null;
    },
    patient,
  );
  expect([status.mode, status.edge?.told]).toEqual(['observe', null]);
  expect(existsSync(files().edge.file)).toBe(true);
  expect(readFileSync(files().edge.file, 'utf8')).toBe(before);
});
