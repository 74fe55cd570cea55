/**
 * A node on real BIRD tells the real GeoDNS service in front of three real PowerDNS sites: what the carriers lose, users
 * are no longer sent to. The node reaches the service from its own namespace over a socket file.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { blackHole } from '../../lab/faults/packet-filter.ts';
import { bridgedUrl, bridgeTo } from '../../lab/geodns/bridge.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import type { CarrierName } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { type Lab, startLab, waitHealthy } from '../../lab/node/lab.ts';
import { causeway, readStatus } from '../../lab/node/program.ts';
import { knownEntries } from '../../src/cli/history-text.ts';
import { addresses } from '../support/geodns-api.ts';

const id = `g${process.pid % 100_000}`;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const patient = { timeoutMillis: 60_000, everyMillis: 50 };
/** A user of China Mobile is sent to CMI, of hk1 and hk2. */
const mobile = '120.196.1.0/24';
const withHk1 = '203.0.113.11 203.0.113.12 203.0.113.41';
const withoutHk1 = '203.0.113.41';

let stand: Stand;
let configPath = '';
let running: Running | null = null;
let endBridge: () => void = () => undefined;
let lab: Lab;

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  configPath = await writeServiceFiles(stand, `${stand.sites[0].dns.host}:8053`);
  await startService();
  const token = join(stand.folder, 'hk1.token');
  writeFileSync(token, `${labTokens.hk1}\n`);
  lab = await startLab(id, {
    node: {
      patience: '1s',
      recovery: { clean: '1s', hold: '1s' },
      geodns: {
        url: bridgedUrl,
        token_file: token,
        ttl: '2s',
        deadline: '4s',
        heartbeat: '1s',
        timeout: '1s',
      },
    },
  });
  endBridge = await bridgeTo(lab.network, { host: stand.sites[0].dns.host, port: 8053 });
  await waitHealthy(lab);
});
afterAll(async () => {
  lab?.remove();
  endBridge();
  await running?.stop();
  await stand?.stop();
});

async function startService(): Promise<void> {
  running = await startGeoDns(await readFiles(configPath), quiet);
}
async function stopService(): Promise<void> {
  await running?.stop();
  running = null;
}

const answersAre = (text: string): Promise<unknown> =>
  waitUntil(
    `all sites to answer ${text}`,
    async () => {
      const all = await Promise.all(stand.sites.map((site) => addresses(site, mobile)));
      return all.every((one) => one === text);
    },
    patient,
  );
const believed = (uplink: CarrierName): string | undefined =>
  running?.service.parts.store.state().records.get(`hk1/${uplink}`)?.families[4]?.state;
const believes = (uplink: CarrierName, state: string): Promise<unknown> =>
  waitUntil(`GeoDNS to believe ${uplink} ${state}`, () => believed(uplink) === state, patient);
/** What the carrier holds: the route, the route drained, or nothing. */
async function held(carrier: CarrierName): Promise<'announced' | 'drained' | 'nothing'> {
  const route = (await lab.observer.view(carrier)).routes[4];
  if (route === null) return 'nothing';
  return route.communities.includes('65535:0') ? 'drained' : 'announced';
}
const holds = (carrier: CarrierName, what: 'announced' | 'drained' | 'nothing'): Promise<unknown> =>
  waitUntil(`${carrier} to hold it ${what}`, async () => (await held(carrier)) === what, patient);

test('a carrier dies: it loses the routes, and users are no longer sent to it, in this order; and back', async () => {
  await believes('cmi', 'up');
  await answersAre(withHk1);
  const fault = blackHole({ carrier: 'cmi' });
  await fault.apply(lab.network);
  await holds('cmi', 'nothing');
  await answersAre(withoutHk1);
  expect([believed('cmi'), believed('pccw'), believed('hkbn')]).toEqual(['down', 'up', 'up']);
  const { entries } = knownEntries(
    JSON.parse(await causeway(lab.network, ['history', '--json', '--uplink', 'cmi', '--limit', '500'])),
  );
  const command = entries.findIndex((one) => one.kind === 'command' && one.protocol === 'announce_cmi_web4');
  const told = entries.findIndex((one) => one.kind === 'told' && /IPv4 down/.test(one.text));
  expect(command).toBeGreaterThanOrEqual(0);
  expect(told).toBeGreaterThan(command);
  await fault.mend(lab.network);
  await holds('cmi', 'announced');
  await believes('cmi', 'up');
  await answersAre(withHk1);
});

test('a planned drain is told first, and BGP follows when the answers of before have run out', async () => {
  await causeway(lab.network, ['drain', 'cmi', '--for', '1h', '--reason', 'carrier window']);
  await believes('cmi', 'drain');
  const toldAt = performance.now();
  expect(await held('cmi')).toBe('announced');
  const status = await readStatus(lab.network);
  const [web] = status?.uplinks.find(({ uplink }) => uplink === 'cmi')?.families['4']?.announcements ?? [];
  expect(web).toMatchObject({ wish: 'announce', held: { guard: 'dns-first' }, author: expect.any(String) });
  expect(status?.geodns?.uplinks.find(({ uplink }) => uplink === 'cmi')).toMatchObject({
    families: { '4': { state: 'drain' } },
    held: 'dns-first',
  });
  await answersAre(withoutHk1);
  await holds('cmi', 'drained');
  expect(performance.now() - toldAt).toBeGreaterThan(1000);
  await causeway(lab.network, ['release', 'cmi']);
  await holds('cmi', 'announced');
  await believes('cmi', 'up');
  await answersAre(withHk1);
});

test('what an operator withdraws, and what a hand takes down in BIRD, is no longer answered; and back', async () => {
  await causeway(lab.network, ['force', 'withdraw', 'cmi', '--for', '1h', '--reason', 'work at the carrier']);
  await answersAre(withoutHk1);
  await holds('cmi', 'nothing');
  expect(believed('cmi')).toBe('down');
  await causeway(lab.network, ['release', 'cmi']);
  await holds('cmi', 'announced');
  await answersAre(withHk1);
  await askNodeBird(lab.network, 'disable "announce_cmi_web?" "by hand"');
  await answersAre(withoutHk1);
  await askNodeBird(lab.network, 'enable "announce_cmi_web?"');
  await answersAre(withHk1);
  await holds('cmi', 'announced');
});

test('GeoDNS away delays no withdrawal, and a planned drain to its deadline; it is told all when it is back', async () => {
  await stopService();
  await causeway(lab.network, ['drain', 'hkbn', '--for', '1h', '--reason', 'carrier window']);
  const fault = blackHole({ carrier: 'pccw' });
  await fault.apply(lab.network);
  await holds('pccw', 'nothing');
  await holds('hkbn', 'drained');
  await startService();
  await believes('pccw', 'down');
  await believes('hkbn', 'drain');
});
