/**
 * Five nodes, real nginx on two of them: CMI dies for hk1, and Mobile users whom a wrong DNS entry led to hk1 are
 * redirected to hk2 within a second of the verdict, are served there, and are served at hk1 again after the recovery.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet, waitFleetHealthy } from '../../lab/fleet/fleet.ts';
import { carrierDead } from '../../lab/fleet/faults.ts';
import { fleetNode } from '../../lab/fleet/layout.ts';
import { fleetOptions } from '../../lab/fleet/options.ts';
import { freshLabId } from '../../lab/network/names.ts';
import type { Network } from '../../lab/network/network.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { nodeConfig, nodeFiles } from '../../lab/node/config.ts';
import { edgePort, startEdge, visit } from '../../lab/node/edge.ts';
import { readStatus, startDaemon, stopDaemon } from '../../lab/node/program.ts';

const patient = { timeoutMillis: 90_000, everyMillis: 10 };
const mobile = '192.0.2.7';
const networks = { cm: { carriers: ['cmi'], prefix: '192.0.2.0/24' } };
const hosts = { hk1: `hk1.edge.test:${edgePort}`, hk2: `hk2.edge.test:${edgePort}` } as const;
const rounds = 3;
const promisedMillis = 1000;

let fleet: Fleet;
const networkOf = (name: 'hk1' | 'hk2'): Network => fleet.node(name).lab.network;

beforeAll(async () => {
  fleet = await startFleet(freshLabId());
  await waitFleetHealthy(fleet);
  await Promise.all((['hk1', 'hk2'] as const).map((name) => giveEdge(name)));
}, 300_000);
afterAll(() => fleet?.remove());

/** An edge for a node that runs already: its nginx, and a daemon that tells it. */
async function giveEdge(name: 'hk1' | 'hk2'): Promise<void> {
  const network = networkOf(name);
  const files = nodeFiles(network);
  const edge = { host: hosts[name], ttl: '5s' };
  writeFileSync(files.config, nodeConfig(files, { ...fleetOptions, edge }, fleetNode(name)));
  await startEdge(network.namespace('node'), files, {
    node: name,
    host: `${name}.edge.test`,
    networks,
    origins: [{ address: '127.0.0.1', port: 9 }],
  });
  await stopDaemon(network, 'SIGKILL');
  await startDaemon(network);
}

const isServedHere = async (): Promise<boolean> => (await visit(networkOf('hk1'), mobile)).status !== 302;

/** When hk1 last called an uplink failed, by its own word; wall time in ms. */
async function verdictAt(since: number): Promise<number> {
  const at = await waitUntil(
    'hk1’s verdict',
    async () => {
      const status = await readStatus(networkOf('hk1'));
      const failed = status?.transitions.filter(
        ({ uplink, subject, family, to, at: when }) =>
          uplink === 'cmi' &&
          subject === 'uplink' &&
          family === 4 &&
          to === 'failed' &&
          Date.parse(when) >= since,
      );
      return failed?.length ? Math.min(...failed.map(({ at: when }) => Date.parse(when))) : null;
    },
    patient,
  );
  return at;
}

test('a Mobile user at hk1 is sent to hk2 within a second of the verdict, served there, and back after recovery', async () => {
  const delays: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await waitUntil('a Mobile user to be served at hk1', isServedHere, patient);
    await waitUntil(
      'hk1 to know hk2',
      async () => (await readStatus(networkOf('hk1')))?.edge?.nodesActive === 2,
      patient,
    );
    const since = Date.now();
    const fault = carrierDead('cmi', ['hk1']);
    await fault.apply(networkOf('hk1'));
    const sent = await waitUntil(
      'the redirect',
      async () => {
        const reply = await visit(networkOf('hk1'), mobile);
        return reply.status === 302 ? { ...reply, at: Date.now() } : null;
      },
      patient,
    );
    expect(sent.location).toBe(`http://${hosts.hk2}/page`);
    delays.push(sent.at - (await verdictAt(since)));
    // The terminal host serves, whatever it believes: here the origin is a dead one, so 502 and no further redirect.
    expect((await visit(networkOf('hk2'), mobile, hosts.hk2)).status).toBe(502);
    await fault.mend(networkOf('hk1'));
    await waitUntil('a Mobile user to be served at hk1 again', isServedHere, patient);
  }
  const [, middle = Number.NaN] = delays.toSorted((a, b) => a - b);
  process.stdout.write(`verdict → redirect: ${delays.map((millis) => `${millis} ms`).join(', ')}\n`);
  expect(middle).toBeLessThanOrEqual(promisedMillis);
}, 280_000);
