/** New GeoIP databases at three real PowerDNS sites: one after the other, believed by their answers, and back again. */
import { appendFileSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MmdbEntry, writeMmdb } from '../../geodns/mmdb/write.ts';
import { type Running, startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { asnEntries, countryEntries } from '../../lab/geodns/world.ts';
import { addresses, callerOf } from '../support/geodns-api.ts';
import { expectPublished } from '../support/published-json.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const patient = { timeout: 60_000, interval: 50 };
const mobile = '120.196.1.0/24';
/** Of China Mobile by CMI; of Malaysia's TMnet by HKBN. */
const asMobile = '203.0.113.11 203.0.113.12 203.0.113.41';
const asTmnet = '203.0.113.31';

let stand: Stand;
let running: Running | null = null;
let configPath = '';
let restarter: Server;
/** Sites whose PowerDNS is not restarted though asked to. */
const deaf = new Set<string>();
/** Resolves when this site is asked for a restart, which then never ends. */
let stuckAt: { readonly site: string; readonly asked: () => void } | null = null;

const builtAt = Math.floor(Date.now() / 1000) - 86_400;
const files = (entries: readonly MmdbEntry[], built: number): Buffer =>
  writeMmdb(entries, { type: 'Causeway-Lab-ASN', buildEpochSeconds: built });
const source = (): string => join(stand.folder, 'incoming-mmdb');
const writeCountry = (built: number): Buffer =>
  writeMmdb(countryEntries(), { type: 'Causeway-Lab-City', buildEpochSeconds: built });

/** Users of AS56040 sit on TMnet in the new databases. */
const moved = asnEntries().map(({ prefix, record }) =>
  typeof record === 'object' && Reflect.get(record, 'autonomous_system_number') === 56_040
    ? { prefix, record: { autonomous_system_number: 4788 } }
    : { prefix, record },
);

function offer(asn: Buffer, built: number): void {
  mkdirSync(source(), { recursive: true });
  writeFileSync(join(source(), 'asn.mmdb'), asn);
  writeFileSync(join(source(), 'country.mmdb'), writeCountry(built));
}

beforeAll(async () => {
  const first = { asn: files(asnEntries(), builtAt), country: writeCountry(builtAt) };
  stand = await startStand(first, { ownMmdb: true });
  await startRestarter();
  configPath = await writeServiceFiles(stand, `${stand.sites[0].dns.host}:8053`);
  appendFileSync(configPath, refreshText());
  await start();
});
afterAll(async () => {
  await running?.stop();
  restarter?.close();
  await stand?.stop();
});
beforeEach(() => {
  deaf.clear();
  stuckAt = null;
});

async function start(): Promise<void> {
  running = await startGeoDns(await readFiles(configPath), quiet);
  await running.sync.settled(running.service.zone()?.revision ?? 1, 60_000);
}

/** Restarts a site's PowerDNS for the command of the config, as systemd would. */
async function startRestarter(): Promise<void> {
  restarter = createServer((socket) => {
    socket.once('data', (line) => {
      const name = String(line).trim();
      if (stuckAt?.site === name) {
        stuckAt.asked();
        return;
      }
      const site = deaf.has(name) ? undefined : stand.sites.find((one) => one.name === name);
      const done = site === undefined ? Promise.resolve() : site.kill().then(() => site.start());
      void done.then(() => socket.end('done\n'));
    });
    socket.on('error', () => undefined);
  });
  const path = join(stand.folder, 'restart.sock');
  await new Promise<void>((resolve) => restarter.listen(path, resolve));
  writeFileSync(
    join(stand.folder, 'restart.mjs'),
    `import { connect } from 'node:net';
const socket = connect(${JSON.stringify(path)});
socket.write(process.env.CAUSEWAY_GEOIP_SITE + '\\n');
socket.on('error', () => process.exit(1));
socket.resume().on('end', () => process.exit(0));\n`,
  );
}

function refreshText(): string {
  const sites = stand.sites.map(({ name, mmdb }) => {
    const own = `{ asn: ${mmdb.asn}, country: ${mmdb.country} }`;
    return `    ${name}: { files: ${own}, command: [${process.execPath}, ${join(stand.folder, 'restart.mjs')}] }`;
  });
  return [
    'rum: {}',
    'refresh:',
    `  folder: ${join(stand.folder, 'geoip')}`,
    `  source: { folder: ${source()} }`,
    '  check: { most_changed: 30% }',
    '  patience: 4s',
    '  sites:',
    ...sites,
    '',
  ].join('\n');
}

const ops = (method: string, path: string, body?: unknown): ReturnType<ReturnType<typeof callerOf>> =>
  callerOf(`http://${stand.sites[0].dns.host}:8053`, labTokens.ops)(method, path, body);

/** Asks for it, waits for its end, and gives what became of it. */
async function outcomeOf(path: string, body?: unknown): Promise<{ kind: unknown; lines: string }> {
  expect((await ops('POST', path, body)).status).toBe(202);
  await expect.poll(async () => (await ops('GET', '/v1/geoip')).body['kind'], patient).toBe('idle');
  const { body: state } = await ops('GET', '/v1/geoip');
  expectPublished('geodns-geoip', JSON.stringify(state));
  const last = state['last'] as { kind: string; lines: string[] };
  return { kind: last.kind, lines: last.lines.join('; ') };
}
const everywhere = (): Promise<readonly string[]> =>
  Promise.all(stand.sites.map((site) => addresses(site, mobile)));
const three = (text: string): readonly string[] => [text, text, text];
const ours = async (): Promise<unknown> =>
  (await ops('GET', '/v1/decide?name=www.geo.test&ip=120.196.1.1')).body['asn'];

test.each([
  { name: 'truncated', asn: () => files(moved, builtAt + 60).subarray(0, 900), says: /is not a whole MMDB/ },
  { name: 'older', asn: () => files(moved, builtAt - 60), says: /before the present one/ },
  { name: 'foreign', asn: () => writeCountry(builtAt + 60), says: /has no autonomous_system_number/ },
])('a $name database is refused in words, and no site hears of it', async ({ asn, says }) => {
  offer(asn(), builtAt + 60);
  const outcome = await outcomeOf('/v1/geoip/refresh');
  expect(outcome.kind).toBe('refused');
  expect(outcome.lines).toMatch(says);
  expect(await everywhere()).toEqual(three(asMobile));
  const { body } = await ops('GET', '/v1/state');
  expect(JSON.stringify(body['alarms'])).toContain('refused at');
});

test('one that a site does not answer by is taken back everywhere', async () => {
  offer(files(moved, builtAt + 60), builtAt + 60);
  deaf.add('tyo');
  const outcome = await outcomeOf('/v1/geoip/refresh');
  expect(outcome.kind).toBe('rolled-back');
  expect(outcome.lines).toMatch(
    /tyo knows .* its GeoIP databases are not ours; all sites have the databases of before/,
  );
  expect(await everywhere()).toEqual(three(asMobile));
  expect(await ours()).toBe(56_040);
  expect((await outcomeOf('/v1/geoip/refresh')).kind).toBe('held');
});

test('a good one comes to one site after the other, then to us, and goes back on an operator’s word', async () => {
  expect(await outcomeOf('/v1/geoip/refresh', { accept: true })).toMatchObject({ kind: 'refreshed' });
  expect(await everywhere()).toEqual(three(asTmnet));
  expect(await ours()).toBe(4788);
  expect(stand.sites.every(({ mmdb }) => lstatSync(mmdb.asn).isSymbolicLink())).toBe(true);
  expect((await outcomeOf('/v1/geoip/refresh')).kind).toBe('unchanged');
  expect(await outcomeOf('/v1/geoip/rollback')).toMatchObject({ kind: 'rolled-back' });
  expect(await everywhere()).toEqual(three(asMobile));
  expect(await ours()).toBe(56_040);
  expect((await ops('POST', '/v1/geoip/rollback')).status).toBe(404);
});

test('measured steering, once accepted, changes the answers of all sites, and is taken back', async () => {
  const vietnam = '14.160.1.0/24';
  const answers = (): Promise<readonly string[]> =>
    Promise.all(stand.sites.map((site) => addresses(site, vietnam)));
  const byPccw = '203.0.113.21 203.0.113.42';
  expect(await answers()).toEqual(three(asMobile));
  for (let batch = 0; batch < 8; batch += 1) {
    const beacons = Array.from({ length: 50 }, (_, index) => ({
      carrier: index % 2 === 0 ? 'cmi' : 'pccw',
      ok: true,
      rttMillis: index % 2 === 0 ? 120 : 60,
      country: 'VN',
      asn: 45_899,
      source: `net-${batch}-${index % 10}`,
    }));
    expect((await ops('POST', '/v1/rum', { schema: 1, beacons })).body).toEqual({ counted: 50 });
  }
  const say = (word: string): Promise<{ status: number }> =>
    ops('POST', '/v1/steering/cdn/7', { do: word, reason: 'measured' });
  expect((await say('accept')).status).toBe(200);
  await expect.poll(answers, patient).toEqual(three(byPccw));
  expect((await say('revert')).status).toBe(200);
  await expect.poll(answers, patient).toEqual(three(asMobile));
});

test('a roll-out that is cut off by a stop ends in the databases of before', async () => {
  const asked = new Promise<void>((resolve) => {
    stuckAt = { site: 'tyo', asked: resolve };
  });
  expect((await ops('POST', '/v1/geoip/refresh', { accept: true })).status).toBe(202);
  await asked;
  expect(await addresses(stand.sites[2], mobile)).toBe(asTmnet);
  await running?.stop();
  stuckAt = null;
  await start();
  await expect.poll(async () => (await ops('GET', '/v1/geoip')).body['kind'], patient).toBe('idle');
  expect(await everywhere()).toEqual(three(asMobile));
  expect((await ops('GET', '/v1/geoip')).body).toMatchObject({
    last: { kind: 'rolled-back', author: 'start' },
  });
});
