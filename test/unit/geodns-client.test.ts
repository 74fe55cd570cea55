/** The client against the real GeoDNS API over HTTP on loopback: its own core, journal and answers, without PowerDNS. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildApi } from '../../geodns/api/server.ts';
import { loadTokens } from '../../geodns/api/tokens.ts';
import { GeoDnsService } from '../../geodns/service/service.ts';
import { openStateStore } from '../../geodns/service/store.ts';
import { GeoDnsClient } from '../../src/adapters/geodns-client.ts';
import { openExchange } from '../../src/adapters/exchange.ts';
import { openNames } from '../../src/adapters/name-lookup.ts';
import { startOrder } from '../../src/core/tell/order.ts';
import { putToGeoDns } from '../../src/daemon/geodns-way.ts';
import { openJournal } from '../../src/store/journal.ts';
import { openOutbox, type Outbox } from '../../src/store/outbox.ts';
import type { ToldUplink } from '../../src/types/told.ts';
import { millis } from '../../src/types/units.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';
import { deskOver } from '../support/geodns-desk.ts';
import { labNetworks, labRules, value } from '../support/geodns.ts';

interface Api {
  readonly app: FastifyInstance;
  readonly service: GeoDnsService;
  readonly url: string;
}

const patient = { timeout: 30_000, interval: 10 };
let folder = '';
let outbox: Outbox;
let client: GeoDnsClient | null = null;
let apis: Api[] = [];
const exchange = openExchange(openNames(() => performance.now()));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-geodns-client-'));
  writeFileSync(join(folder, 'token'), 'token-of-node-hk1\n');
  apis = [];
  outbox = await openBox();
});
afterEach(async () => {
  client?.close();
  client = null;
  await outbox.close();
  for (const { app, service } of apis) {
    await app.close();
    await service.stop();
  }
  rmSync(folder, { recursive: true, force: true });
});

const openBox = (wallMillis = 1_796_000_000_000): Promise<Outbox> =>
  openOutbox({
    open: () => openJournal(join(folder, 'told.log')),
    start: (onDisk) => startOrder(wallMillis, onDisk),
    keysAtMost: 100,
  });

async function startApi(name: string, port = 0): Promise<Api> {
  const sha256 = createHash('sha256').update('token-of-node-hk1').digest('hex');
  const tokens = value(
    loadTokens('t', `tokens:\n  - { name: hk1, role: node, node: hk1, sha256: ${sha256} }\n`),
  );
  const sync = { settled: async () => true, state: () => ({ kind: 'synced', wanted: 1, sites: [] }) };
  const service = new GeoDnsService({
    rules: labRules,
    networks: labNetworks,
    lookup: () => ({ asn: null, country: null, continent: null, subdivision: null }) as never,
    databases: [],
    store: await openStateStore(join(folder, `${name}.journal`)),
    publisher: { want: () => undefined, settled: async () => true },
    nowMillis: () => Date.now(),
    revisionAbove: 0,
    writer: '',
  });
  const { desk, users } = await deskOver(service, mkdtempSync(join(folder, name)));
  const app = await buildApi({
    service,
    desk,
    users,
    tls: null,
    version: '0',
    sync: sync as unknown as Parameters<typeof buildApi>[0]['sync'],
    tokens,
    verification: () => null,
    logError: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port });
  const api = { app, service, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
  apis.push(api);
  return api;
}

function connect(urls: readonly string[], heartbeatMillis = 100): GeoDnsClient {
  const geodns = {
    urls,
    tokenFile: join(folder, 'token'),
    caFile: null,
    ttlMillis: millis(0),
    deadlineMillis: millis(0),
    heartbeatMillis: millis(heartbeatMillis),
    timeoutMillis: millis(10_000),
  };
  client = new GeoDnsClient({
    node: 'hk1',
    endpoints: urls.length,
    put: putToGeoDns(geodns, exchange),
    outbox,
    clock: {
      now: () => performance.now(),
      after(waitMillis, act) {
        // Pauses are short here, but a heartbeat that a test wants late is late.
        const timer = setTimeout(act, waitMillis > 20_000 ? waitMillis : Math.min(waitMillis, 100));
        return () => clearTimeout(timer);
      },
    },
    random: () => 0,
    heartbeatMillis,
    wallTime: () => '2026-11-30T01:00:00Z',
  });
  return client;
}

const told = (
  uplink: string,
  state: ToldState,
  regions: Readonly<Record<string, ToldState>> = {},
): ToldUplink => ({
  uplink,
  carrier: uplink,
  families: {
    4: { state, regions, services: { web: state } },
    6: { state: 'up', regions: {}, services: { web: 'up' } },
  },
  held: null,
  reason: 'loss 34 %',
  evidence: { loss: 0.34, rttP95Millis: 88, targets: 4 },
});
const wordsOf = ({ service }: Api): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    [...service.parts.store.state().records].map(([target, record]) => [target, record.families[4]?.state]),
  );
const isQuiet = (): boolean => client?.pending().length === 0;

describe('the client', () => {
  test('tells each change, with regions and evidence, and the receiver has it as it was told', async () => {
    const api = await startApi('one');
    const geo = connect([api.url], 60_000);
    geo.tell([told('cmi', 'up', { ID: 'down' }), told('pccw', 'down')]);
    await expect.poll(isQuiet, patient).toBe(true);
    expect(wordsOf(api)).toEqual({ 'hk1/cmi': 'up', 'hk1/pccw': 'down' });
    expect(api.service.parts.store.state().records.get('hk1/cmi')).toMatchObject({
      families: { 4: { regions: { ID: 'down' }, services: { web: 'up' } }, 6: { state: 'up' } },
      evidence: { loss: 0.34, rttP95Millis: 88, targets: 4 },
      reason: 'loss 34 %',
    });
    expect([...geo.acknowledged().keys()].sort()).toEqual(['cmi', 'pccw']);
  });

  test('repeats all of it as a heartbeat, so that a receiver that lost everything is told again', async () => {
    const first = await startApi('one');
    const geo = connect([first.url]);
    geo.tell([told('cmi', 'down'), told('pccw', 'up')]);
    await expect.poll(isQuiet, patient).toBe(true);
    await first.app.close();
    const port = Number(new URL(first.url).port);
    const empty = await startApi('another', port);
    await expect.poll(() => wordsOf(empty), patient).toEqual({ 'hk1/cmi': 'down', 'hk1/pccw': 'up' });
  });

  test('says with its heartbeats that the node is frozen, and when it is not any more', async () => {
    const api = await startApi('one');
    const geo = connect([api.url]);
    geo.tell([told('cmi', 'up')]);
    geo.noteFrozen(true);
    await expect.poll(() => api.service.frozenNodes(), patient).toEqual(['hk1']);
    expect(api.service.isFrozen()).toBe(true);
    geo.noteFrozen(false);
    await expect.poll(() => api.service.isFrozen(), patient).toBe(false);
  });

  test('a receiver that is away is told the newest when it is there, and nothing of before', async () => {
    const gone = await startApi('gone');
    const port = Number(new URL(gone.url).port);
    await gone.app.close();
    const geo = connect([gone.url], 60_000);
    for (const state of ['down', 'drain', 'up', 'drain'] as const) geo.tell([told('cmi', state)]);
    await expect.poll(() => geo.state().trouble, patient).toContain('ECONNREFUSED');
    const api = await startApi('back', port);
    await expect.poll(() => wordsOf(api), patient).toEqual({ 'hk1/cmi': 'drain' });
    await expect.poll(isQuiet, patient).toBe(true);
  });

  test('goes above what a receiver has of a life that nobody remembers (409)', async () => {
    const api = await startApi('one');
    const before = connect([api.url], 60_000);
    before.tell([told('cmi', 'up')]);
    await expect.poll(isQuiet, patient).toBe(true);
    before.close();
    await outbox.close();
    rmSync(join(folder, 'told.log'));
    // The clock ran back, too.
    outbox = await openBox(1000);
    const geo = connect([api.url], 60_000);
    geo.tell([told('cmi', 'down')]);
    await expect.poll(() => wordsOf(api), patient).toEqual({ 'hk1/cmi': 'down' });
    expect(geo.state().order.epoch).toBeGreaterThan(1_796_000_000_000);
  });

  test('after a restart says what it said, under a new epoch, before it is asked', async () => {
    const api = await startApi('one');
    connect([api.url]).tell([told('cmi', 'down')]);
    await expect.poll(isQuiet, patient).toBe(true);
    client?.close();
    const { epoch } = outbox.order();
    await outbox.close();
    outbox = await openBox(0);
    const geo = connect([api.url]);
    expect(geo.last().get('cmi')?.families[4]?.state).toBe('down');
    await expect
      .poll(() => api.service.parts.store.state().records.get('hk1/cmi')?.order.epoch, patient)
      .toBe(epoch + 1);
  });

  test('of two ways it takes the other after two failures, and tells everything there', async () => {
    const dead = await startApi('dead');
    await dead.app.close();
    const api = await startApi('alive');
    const geo = connect([dead.url, api.url]);
    geo.tell([told('cmi', 'down'), told('pccw', 'up')]);
    await expect.poll(() => wordsOf(api), patient).toEqual({ 'hk1/cmi': 'down', 'hk1/pccw': 'up' });
    expect(geo.state().endpoint).toBe(1);
  });

  test('a token that is wrong is told by name, and one that is put right counts without a restart', async () => {
    const api = await startApi('one');
    writeFileSync(join(folder, 'token'), 'another-token\n');
    const geo = connect([api.url]);
    geo.tell([told('cmi', 'down')]);
    await expect
      .poll(() => geo.pending()[0]?.text, patient)
      .toBe('HTTP 401: this token is not in the tokens file');
    writeFileSync(join(folder, 'token'), '');
    await expect.poll(() => geo.pending()[0]?.text, patient).toContain('token is empty');
    writeFileSync(join(folder, 'token'), 'token-of-node-hk1\n');
    await expect.poll(() => wordsOf(api), patient).toEqual({ 'hk1/cmi': 'down' });
  });

  test('a target that the rules do not have is named, and holds nothing else up', async () => {
    const api = await startApi('one');
    const geo = connect([api.url]);
    geo.tell([told('nosuch', 'down'), told('cmi', 'down')]);
    await expect.poll(() => geo.state().unknownTargets, patient).toEqual(['hk1/nosuch']);
    expect(wordsOf(api)).toEqual({ 'hk1/cmi': 'down' });
    geo.keepOnly(['cmi']);
    await expect.poll(isQuiet, patient).toBe(true);
  });
});
