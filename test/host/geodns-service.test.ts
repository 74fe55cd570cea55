/** The service over three real PowerDNS sites: removals, order, overrides, crashes. What counts is what the sites answer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../geodns/dns/ask.ts';
import { writeMmdb } from '../../geodns/mmdb/write.ts';
import { patchZone } from '../../geodns/powerdns/client.ts';
import { servedSerial } from '../../geodns/powerdns/site.ts';
import { type Running, startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { asnEntries, worldMmdbs } from '../../lab/geodns/world.ts';
import { addresses, type Caller, callerOf, uplinkMessage } from '../support/geodns-api.ts';

const mobile = '120.196.1.0/24';
const all = '203.0.113.11 203.0.113.12 203.0.113.41';
const withoutHk1 = '203.0.113.41';
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const generous = { timeout: 20_000, interval: 30 };

let stand: Stand;
let configPath: string;
let running: Running;
let base: string;
let node: Caller;
let ops: Caller;

async function start(): Promise<void> {
  running = await startGeoDns(await readFiles(configPath), quiet);
  await running.sync.settled(running.service.zone()?.revision ?? 1, 20_000);
}

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  const listen = `${stand.sites[0].dns.host}:8053`;
  base = `http://${listen}`;
  configPath = await writeServiceFiles(stand, listen);
  node = callerOf(base, labTokens.hk1);
  ops = callerOf(base, labTokens.ops);
  await start();
});
afterAll(async () => {
  await running?.stop();
  await stand?.stop();
});

const everywhere = (subnet: string): Promise<readonly string[]> =>
  Promise.all(stand.sites.map((site) => addresses(site, subnet)));
const cmi = '/v1/nodes/hk1/uplinks/cmi';
const three = (text: string): readonly string[] => [text, text, text];

const change = (file: string, from: string, to: string): void => {
  const path = `${stand.folder}/${file}`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
};

async function ttlSeconds(): Promise<number | undefined> {
  return (await ask(stand.sites[1].dns, 'www.geo.test.', 'A')).answers[0]?.ttlSeconds;
}

describe('a report', () => {
  test('changes the answers of all sites before it is answered, and back', async () => {
    expect(await everywhere(mobile)).toEqual(three(all));
    const down = await node('PUT', cmi, uplinkMessage('down', 10, 1));
    expect(down).toMatchObject({ status: 202, body: { applied: true, targets: { 'hk1/cmi': 'accepted' } } });
    expect(await everywhere(mobile)).toEqual(three(withoutHk1));
    expect((await node('PUT', cmi, uplinkMessage('up', 10, 2))).status).toBe(202);
    expect(await everywhere(mobile)).toEqual(three(all));
  });

  test('about a region changes the answers of its users alone', async () => {
    await node('PUT', cmi, uplinkMessage('up', 10, 3, { VN: 'down' }));
    expect(await everywhere('116.96.1.0/24')).toEqual(three(withoutHk1));
    expect(await everywhere(mobile)).toEqual(three(all));
    await node('PUT', cmi, uplinkMessage('up', 10, 4));
  });

  test('that is late is refused with what stands, and one that is repeated changes nothing', async () => {
    const late = await node('PUT', cmi, uplinkMessage('down', 10, 3));
    expect(late).toMatchObject({ status: 409, body: { code: 'stale', epoch: 10, seq: 4 } });
    expect((await node('PUT', cmi, uplinkMessage('up', 10, 4))).status).toBe(200);
    expect((await node('PUT', cmi, uplinkMessage('down', 9, 99))).status).toBe(409);
    expect(await everywhere(mobile)).toEqual(three(all));
  });

  test('of a whole node tells every uplink under one order', async () => {
    const {
      epoch: _epoch,
      seq: _seq,
      schema: _schema,
      at: _at,
      ...body
    } = uplinkMessage('drain', 0, 0) as Record<string, unknown>;
    const message = {
      schema: 1,
      node: 'hk1',
      uplinks: { cmi: body, pccw: body, nosuch: body },
      epoch: 10,
      seq: 5,
      at: '2026-11-30T01:00:00Z',
    };
    expect(await node('PUT', '/v1/nodes/hk1/state', message)).toMatchObject({
      status: 202,
      body: { targets: { 'hk1/cmi': 'accepted', 'hk1/pccw': 'accepted', 'hk1/nosuch': 'unknown-target' } },
    });
    expect(await everywhere(mobile)).toEqual(three(withoutHk1));
    const up = {
      ...message,
      uplinks: { cmi: { ...body, families: { '4': { state: 'up' } } }, pccw: { ...body, families: {} } },
      seq: 6,
    };
    expect((await node('PUT', '/v1/nodes/hk1/state', up)).status).toBe(202);
    expect(await everywhere(mobile)).toEqual(three(all));
  });

  test.each([
    { name: 'without a token', token: null, path: cmi, status: 401 },
    { name: 'with a foreign token', token: 'not-a-token-of-ours', path: cmi, status: 401 },
    { name: 'about another node', token: labTokens.hk2, path: cmi, status: 403 },
    {
      name: 'about an uplink that no rule knows',
      token: labTokens.hk1,
      path: '/v1/nodes/hk1/uplinks/nosuch',
      status: 404,
    },
  ])('$name is refused with $status', async ({ token, path, status }) => {
    expect((await callerOf(base, token)('PUT', path, uplinkMessage('down', 99, 1))).status).toBe(status);
  });

  test.each([
    {},
    null,
    { schema: 2 },
    { ...(uplinkMessage('down', 99, 1) as object), families: { '4': { state: 'off' } } },
  ])('of another form is refused: %j', async (body) => {
    expect(await node('PUT', cmi, body)).toMatchObject({ status: 400, body: { code: 'bad-message' } });
  });
});

describe('compatible calls', () => {
  test('remove and restore a carrier of the node that the token belongs to', async () => {
    const hk2 = callerOf(base, labTokens.hk2);
    expect((await hk2('POST', '/remove/cmi')).status).toBe(202);
    expect(await everywhere(mobile)).toEqual(three('203.0.113.11 203.0.113.12'));
    expect((await hk2('POST', '/restore/cmi')).status).toBe(202);
    expect(await everywhere(mobile)).toEqual(three(all));
  });
  test('no longer count where the node sends orders', async () => {
    expect(await node('POST', '/remove/cmi')).toMatchObject({
      status: 409,
      body: { code: 'order-required' },
    });
  });
  test('with an order are views of the same state', async () => {
    expect((await node('PUT', '/v1/nodes/hk1/carriers/cmi', { state: 'up', epoch: 10, seq: 1 })).status).toBe(
      409,
    );
  });
});

describe('an override', () => {
  test('stands above reports until it ends by itself', async () => {
    const until = new Date(Date.now() + 4000).toISOString();
    const put = await ops('PUT', '/v1/overrides/*/cmi', {
      state: 'down',
      until,
      reason: 'work at the carrier',
    });
    expect(put.status).toBe(200);
    await expect.poll(() => everywhere(mobile), generous).toEqual(three('203.0.113.21 203.0.113.42'));
    await expect.poll(() => everywhere(mobile), generous).toEqual(three(all));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
  });
  test('needs an end, a reason and an operator', async () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    expect((await ops('PUT', '/v1/overrides/*/cmi', { state: 'down', reason: 'x' })).status).toBe(400);
    expect((await ops('PUT', '/v1/overrides/*/cmi', { state: 'down', until })).status).toBe(400);
    expect((await node('PUT', '/v1/overrides/*/cmi', { state: 'down', until, reason: 'x' })).status).toBe(
      403,
    );
  });
});

test('the decision of the API is what DNS answers, with its reasons', async () => {
  const decision = await ops('GET', '/v1/decide?name=www.geo.test&ip=120.196.1.1');
  expect(decision).toMatchObject({
    status: 200,
    body: {
      network: 'cm',
      asn: 56040,
      rule: { number: 3 },
      pool: 'hk-cmi',
      answer: { kind: 'all', addresses: all.split(' ') },
    },
  });
  expect((await ops('GET', '/v1/decide?name=deep.v.geo.test&ip=%5B2409:8000::1%5D:53')).body).toMatchObject({
    network: 'cm',
  });
  expect((await ops('GET', '/v1/decide?name=www.geo.test&ip=x')).status).toBe(400);
  expect((await ops('GET', '/v1/decide?name=other.test&ip=1.1.1.1')).status).toBe(404);
});

test('rules are validated without being applied, every problem with its place', async () => {
  const bad = await ops('POST', '/v1/rules/validate', 'version: 1\nzone: geo.test\n');
  expect(bad.body).toMatchObject({ ok: false });
  expect(JSON.stringify(bad.body)).toContain('rules.yaml:1:1: nameservers');
});

test('metrics and alarms show sites, and regions that nobody knows', async () => {
  await node('PUT', cmi, uplinkMessage('up', 10, 90, { atlantis: 'down' }));
  expect((await ops('GET', '/v1/state')).body).toMatchObject({
    alarms: { unknownRegions: ['atlantis'], held: [] },
  });
  await node('PUT', cmi, uplinkMessage('up', 10, 91));
  const text = await fetch(`${base}/metrics`).then((response) => response.text());
  expect(text).toContain(`causeway_geodns_site_serial{site="tyo"} ${running.service.zone()?.revision}\n`);
  expect(text).toContain('causeway_geodns_site_behind{site="tyo"} 0\n');
});

describe('files that change', () => {
  const reload = async (): Promise<void> => running.reload(await readFiles(configPath));

  test('rules are put in force at all sites, and a bad file leaves the old ones', async () => {
    change('rules.yaml', 'networks: [cm], use: [hk-cmi, hk-pccw]', 'networks: [cm], use: [hk-hkbn]');
    await reload();
    await expect.poll(() => everywhere(mobile), generous).toEqual(three('203.0.113.31'));
    change('rules.yaml', 'use: [hk-hkbn] }', 'use: [nosuch] }');
    await expect(reload()).rejects.toThrow(/rules\.yaml:\d+:\d+: .*nosuch/);
    expect(await everywhere(mobile)).toEqual(three('203.0.113.31'));
    change('rules.yaml', 'use: [nosuch] }', 'use: [hk-cmi, hk-pccw] }');
    await reload();
    await expect.poll(() => everywhere(mobile), generous).toEqual(three(all));
  });

  test('a database that is cut short or of the other kind is refused, and the old one stays in use', async () => {
    for (const bytes of [worldMmdbs().asn.subarray(0, 900), worldMmdbs().country]) {
      const path = `${stand.folder}/other.mmdb`;
      writeFileSync(path, bytes);
      change('geodns.yaml', `asn: ${stand.mmdb.asn}`, `asn: ${path}`);
      await expect(reload()).rejects.toMatchObject({ code: expect.stringMatching(/^mmdb-/) });
      change('geodns.yaml', `asn: ${path}`, `asn: ${stand.mmdb.asn}`);
    }
    expect((await ops('GET', '/v1/decide?name=www.geo.test&ip=120.196.1.1')).body).toMatchObject({
      asn: 56040,
    });
  });

  test('a database that is older than the one in use is refused', async () => {
    const path = `${stand.folder}/older.mmdb`;
    writeFileSync(path, writeMmdb(asnEntries(), { type: 'Older', buildEpochSeconds: 1_795_000_000 }));
    change('geodns.yaml', `asn: ${stand.mmdb.asn}`, `asn: ${path}`);
    await expect(reload()).rejects.toThrow(/older\.mmdb: built at 2026-11-\S+, before the one in use/);
    change('geodns.yaml', `asn: ${path}`, `asn: ${stand.mmdb.asn}`);
    await reload();
  });

  test('sites are verified over DNS, and one that knows users otherwise than we do is named', async () => {
    await expect
      .poll(() => running.verification(), generous)
      .toMatchObject({ revision: running.service.zone()?.revision, wrong: [] });
    expect(running.verification()?.asked).toBeGreaterThan(100);
    const path = `${stand.folder}/newer.mmdb`;
    writeFileSync(
      path,
      writeMmdb([{ prefix: '36.96.0.0/11', record: { autonomous_system_number: 64999 } }], {
        type: 'Other',
        buildEpochSeconds: 1_796_000_000,
      }),
    );
    change('geodns.yaml', `asn: ${stand.mmdb.asn}`, `asn: ${path}`);
    await reload();
    await expect
      .poll(() => running.verification()?.wrong.join(' '), generous)
      .toMatch(/tyo knows 36\.96\.\S+ as "4134 cn as", we as "64999 cn as"/);
    change('geodns.yaml', `asn: ${path}`, `asn: ${stand.mmdb.asn}`);
    await reload();
    await expect.poll(() => running.verification()?.wrong, generous).toEqual([]);
  });
});

describe('crashes', () => {
  test('PowerDNS killed at the primary: the removal is kept and true right after it is back', async () => {
    await stand.sites[0].kill();
    const down = await node('PUT', `${cmi}?wait=0`, uplinkMessage('down', 11, 1));
    expect(down).toMatchObject({ status: 202, body: { applied: false } });
    expect(await addresses(stand.sites[1], mobile)).toBe(all);
    await stand.sites[0].start();
    await expect.poll(() => everywhere(mobile), generous).toEqual(three(withoutHk1));
  });

  test('a secondary that is down delays nobody and catches up', async () => {
    await stand.sites[2].kill();
    const up = await node('PUT', `${cmi}?wait=0`, uplinkMessage('up', 11, 2));
    expect(up.status).toBe(202);
    await expect.poll(() => addresses(stand.sites[1], mobile), generous).toBe(all);
    await stand.sites[2].start();
    await expect.poll(() => everywhere(mobile), generous).toEqual(three(all));
  });

  test('a service that starts again knows what was told, and its revision only grows', async () => {
    await node('PUT', cmi, uplinkMessage('down', 11, 3));
    const before = running.service.zone()?.revision ?? 0;
    await running.stop();
    await start();
    expect(running.service.zone()?.revision).toBeGreaterThan(before);
    expect(await everywhere(mobile)).toEqual(three(withoutHk1));
    expect((await node('PUT', cmi, uplinkMessage('up', 11, 2))).status).toBe(409);
    expect((await node('PUT', cmi, uplinkMessage('up', 11, 4))).status).toBe(202);
  });

  test('drift at the primary is repaired', async () => {
    const [primary] = stand.sites;
    await patchZone(primary.api, 'geo.test.', [
      { name: 'www.geo.test.', type: 'LUA', ttlSeconds: 30, records: [] },
    ]);
    await expect.poll(() => addresses(primary, mobile).catch(() => 'gone'), generous).not.toBe(all);
    running.sync.repair();
    await expect.poll(() => everywhere(mobile), generous).toEqual(three(all));
  });

  test('kill -9 of the service between two reports loses nothing that was answered', async () => {
    await running.stop();
    let child = await spawnService();
    try {
      expect((await node('PUT', cmi, uplinkMessage('down', 12, 1))).status).toBe(202);
      await killHard(child);
      child = await spawnService();
      expect((await node('PUT', cmi, uplinkMessage('up', 12, 0))).status).toBe(409);
      expect(await everywhere(mobile)).toEqual(three(withoutHk1));
      expect((await node('PUT', cmi, uplinkMessage('up', 12, 2))).status).toBe(202);
      expect(await everywhere(mobile)).toEqual(three(all));
      change('rules.yaml', 'ttl: 30s', 'ttl: 20s');
      child.kill('SIGHUP');
      await expect.poll(() => ttlSeconds(), generous).toBe(20);
      child.kill('SIGTERM');
      await expect.poll(() => child.exitCode, generous).toBe(0);
    } finally {
      await killHard(child);
      await start();
    }
  });

  test('a second service in the same folder is refused before it touches anything', async () => {
    const before = readFileSync(`${stand.folder}/state/journal`, 'utf8');
    await expect(startGeoDns(await readFiles(configPath), quiet)).rejects.toThrow(
      /another causeway-geodns works in/,
    );
    expect(readFileSync(`${stand.folder}/state/journal`, 'utf8')).toBe(before);
  });

  test('a second writer with a higher serial stops us instead of fighting', async () => {
    const [primary] = stand.sites;
    const serial = (await servedSerial(primary, 'geo.test.')) ?? 0;
    const soa = `ns1.geo.test. hostmaster.geo.test. ${serial + 100} 60 30 1209600 30`;
    await patchZone(primary.api, 'geo.test.', [
      { name: 'geo.test.', type: 'SOA', ttlSeconds: 30, records: [soa] },
    ]);
    running.sync.repair();
    await expect.poll(() => running.sync.state().kind, generous).toBe('fenced');
    expect((await ops('GET', '/readyz')).status).toBe(503);
    await running.stop();
    await start();
    expect(running.sync.state()).toMatchObject({ kind: 'idle', wanted: serial + 101 });
  });
});

/** The built program, as users start it. */
async function spawnService(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['bin/causeway-geodns', 'run', '-c', configPath], {
    stdio: 'ignore',
  });
  const health = (): Promise<number> =>
    fetch(`${base}/healthz`).then(
      (response) => response.status,
      () => 0,
    );
  await expect.poll(health, generous).toBe(200);
  return child;
}

async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
