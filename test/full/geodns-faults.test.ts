/** Faults that should not happen and do: databases that are no databases, disks that are full, records that do not run. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeMmdb } from '../../geodns/mmdb/write.ts';
import { makeSecondary, patchZone } from '../../geodns/powerdns/client.ts';
import { differenceOf } from '../../geodns/powerdns/difference.ts';
import { presentRecords } from '../../geodns/powerdns/site.ts';
import { needsLuaUpdates, parseVersion } from '../../geodns/powerdns/version.ts';
import { type Running, startGeoDns } from '../../geodns/service/compose.ts';
import { readFiles } from '../../geodns/service/files.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { powerDnsVersions } from '../../lab/geodns/pdns-versions.ts';
import { type Stand, type StandSite, startStand } from '../../lab/geodns/stand.ts';
import { asnEntries, countryEntries, worldMmdbs } from '../../lab/geodns/world.ts';
import { addresses, type Caller, callerOf, uplinkMessage } from '../support/geodns-api.ts';
import { type Watch, watchSites } from '../support/geodns-watch.ts';

const mobile = '120.196.1.0/24';
const all = '203.0.113.11 203.0.113.12 203.0.113.41';
const withoutHk1 = '203.0.113.41';
/** Of the policy: Singapore and PCCW, for users that nobody knows. */
const fallback = '203.0.113.21 203.0.113.51';
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const patient = { timeoutMillis: 60_000, everyMillis: 30 };
const world = worldMmdbs();
const built = 1_796_000_000;

let stand: Stand;
let running: Running;
let node: Caller;
let ops: Caller;
let seq = 0;
const mounted: string[] = [];

beforeAll(async () => {
  stand = await startStand(world, {
    ownMmdb: true,
    async folderReady(site, folder) {
      if (site !== 'hkg') return;
      await execa('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'causeway-geodns', folder]);
      mounted.push(folder);
    },
  });
  const listen = `${stand.sites[0].dns.host}:8053`;
  const config = await writeServiceFiles(stand, listen);
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'causeway-geodns', join(stand.folder, 'state')]);
  mounted.push(join(stand.folder, 'state'));
  running = await startGeoDns(await readFiles(config), quiet);
  node = callerOf(`http://${listen}`, labTokens.hk1);
  ops = callerOf(`http://${listen}`, labTokens.ops);
  await everywhere(all);
});
afterAll(async () => {
  await running?.stop();
  await Promise.all((stand?.sites ?? []).map((site) => site.kill()));
  for (const folder of mounted) await execa('umount', ['-l', folder], { reject: false });
  await stand?.stop();
});

const everywhere = (text: string): Promise<unknown> =>
  waitUntil(
    `all sites to answer ${text}`,
    async () => {
      const got = await Promise.all(stand.sites.map((site) => addresses(site, mobile).catch(() => '')));
      return got.every((one) => one === text);
    },
    patient,
  );

async function tell(state: 'up' | 'down'): Promise<number> {
  seq += 1;
  return (await node('PUT', '/v1/nodes/hk1/uplinks/cmi?wait=0', uplinkMessage(state, 3, seq))).status;
}

/** Users ask while `act` goes on; returns what they should not have been answered. */
async function watched(allowed: readonly string[], act: () => Promise<void>): Promise<Watch> {
  const watch = watchSites(stand.sites, mobile, allowed);
  try {
    await act();
  } finally {
    await watch.stop();
  }
  expect(watch.counts.answered).toBeGreaterThan(2);
  return watch;
}

const older = { type: 'Older', buildEpochSeconds: built - 90 * 86_400 };
const databases = [
  { name: 'truncated to a half', bytes: world.asn.subarray(0, world.asn.length / 2) },
  { name: 'empty', bytes: Buffer.alloc(0) },
  { name: 'no MMDB at all', bytes: Buffer.from('<html>Too many requests</html>') },
  { name: 'a country database in place of the ASN one', bytes: world.country },
  { name: 'older and of another world', bytes: writeMmdb([asnEntries()[10] ?? never()], older) },
] as const;

function never(): never {
  throw new Error('the world has too few entries');
}

describe('a GeoIP database at one site', () => {
  /** By rename, as everything replaces it that does not want PowerDNS dead. */
  const put = (site: StandSite, bytes: Buffer): void => {
    writeFileSync(`${site.mmdb.asn}.new`, bytes);
    renameSync(`${site.mmdb.asn}.new`, site.mmdb.asn);
  };

  test.each(databases)('that is $name: told, and nobody is answered with nothing', async ({ bytes }) => {
    const site = stand.sites[1];
    const watch = await watched([all, fallback], async () => {
      put(site, bytes);
      await site.control('reload').catch(() => '');
      // What reads no database may not come up at all: then it does not answer, and that is told too.
      const isUp = await ensureUp(site);
      running.verifyNow();
      const word = isUp ? /tyo (?:knows|answers)/ : /tyo/;
      await waitUntil(
        'the site to be named',
        () => word.test(`${running.verification()?.wrong.join(' ')} ${JSON.stringify(running.sync.state())}`),
        patient,
      );
    });
    expect(watch.wrong).toEqual([]);
    const mended = await watched([all, fallback], async () => {
      put(site, world.asn);
      await site.kill();
      await site.start();
      running.verifyNow();
      await waitUntil('no site to be wrong', () => running.verification()?.wrong.length === 0, patient);
      await everywhere(all);
    });
    expect(mended.wrong).toEqual([]);
  });

  /** Whether PowerDNS runs with what it has; where reading ended it, it is started again as systemd would. */
  async function ensureUp(site: StandSite): Promise<boolean> {
    await site.kill();
    return site.start().then(
      () => true,
      () => false,
    );
  }
});

describe('a full disk', () => {
  const fill = async (folder: string): Promise<() => void> => {
    const ballast = join(folder, 'ballast');
    await execa('sh', ['-c', 'dd if=/dev/zero of="$1" bs=4k 2>/dev/null; true', 'sh', ballast]);
    return () => rmSync(ballast);
  };

  test('of the service: a report is refused and changes nothing; with room again it counts', async () => {
    const free = await fill(join(stand.folder, 'state'));
    const before = readFileSync(join(stand.folder, 'state/journal'));
    const watch = await watched([all], async () => {
      const refused = await node('PUT', '/v1/nodes/hk1/uplinks/cmi', bigMessage());
      expect(refused).toMatchObject({ status: 503, body: { code: 'not-durable' } });
      expect(readFileSync(join(stand.folder, 'state/journal'))).toEqual(before);
    });
    expect(watch.wrong).toEqual([]);
    free();
    expect(await tell('down')).toBe(202);
    await everywhere(withoutHk1);
    expect(await tell('up')).toBe(202);
    await everywhere(all);
  });

  test('of the primary: the old answers stay, and the new ones come with room', async () => {
    const free = await fill(stand.sites[0].folder);
    const watch = await watched([all], async () => {
      expect(await tell('down')).toBe(202);
      await waitUntil('the fault to be told', () => running.sync.state().error !== null, patient);
    });
    expect(watch.wrong).toEqual([]);
    expect((await ops('GET', '/v1/sites')).body).toMatchObject({ kind: 'failing' });
    free();
    await everywhere(withoutHk1);
    await tell('up');
    await everywhere(all);
  });

  /** More than a page of the disk, so that there is no room for it in the last one. */
  function bigMessage(): unknown {
    seq += 1;
    const regions = Object.fromEntries(countryCodes().map((code) => [code, 'down' as const]));
    return uplinkMessage('down', 3, seq, regions);
  }
  function countryCodes(): readonly string[] {
    return Array.from({ length: 676 }, (_, index) =>
      String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)),
    ).slice(0, 60);
  }
});

describe('a broken configuration record', () => {
  test.each([
    { label: '_g', name: 'that is not Lua', record: 'LUA "this is (not Lua"' },
    { label: '_g', name: 'that throws', record: 'LUA "error(1) "' },
    { label: '_g', name: 'that does nothing', record: 'LUA "local nothing=1 "' },
    { label: '_gr', name: 'that is not Lua', record: 'LUA "this is (not Lua"' },
    { label: '_gr', name: 'that throws', record: 'LUA "error(1) "' },
  ])(
    '$label $name leaves the answers right or at the default, and is put right by itself',
    async ({ label, record }) => {
      const watch = await watched([all, fallback], async () => {
        await patchZone(stand.sites[0].api, 'geo.test.', [
          { name: `${label}.geo.test.`, type: 'LUA', ttlSeconds: 30, records: [record] },
          // A newer version, so that every thread reads it.
          { name: '_gv.geo.test.', type: 'LUA', ttlSeconds: 30, records: ['LUA "V_geo_2etest=4000000000 "'] },
        ]);
        // Threads that never had any tables.
        await stand.sites[0].kill();
        await stand.sites[0].start();
        expect(await addresses(stand.sites[0], mobile)).toBe(fallback);
        running.sync.repair();
        const wanted = running.service.zone()?.rrsets ?? [];
        await waitUntil(
          'the records to be as they were',
          async () =>
            differenceOf((await presentRecords(stand.sites[0], 'geo.test.')) ?? [], wanted).length === 0,
          patient,
        );
        await everywhere(all);
      });
      expect(watch.wrong).toEqual([]);
    },
  );
});

describe('a secondary that does not follow', () => {
  const named = (text: RegExp): Promise<unknown> =>
    waitUntil(
      'the reason to be told',
      () => text.test(running.sync.state().sites.find(({ name }) => name === 'tyo')?.error ?? ''),
      patient,
    );

  test('since it fetches from another is named with the way to put it right, and users keep what they had', async () => {
    const site = stand.sites[1];
    await makeSecondary(site.api, 'geo.test.', '127.0.0.1:9');
    const watch = await watched([all, withoutHk1], async () => {
      await tell('down');
      await named(/tyo has not fetched revision \d+: it fetches from 127\.0\.0\.1:9, not from .*promote hkg/);
    });
    expect(watch.wrong).toEqual([]);
    const { host, port } = stand.sites[0].dns;
    await makeSecondary(site.api, 'geo.test.', `${host}:${port}`);
    await everywhere(withoutHk1);
    await tell('up');
    await everywhere(all);
  });
});

const refusing = powerDnsVersions().find(({ version }) => {
  const parsed = parseVersion(version);
  return parsed !== null && needsLuaUpdates(parsed);
});

test.skipIf(refusing === undefined)(
  'PowerDNS 5.1 that may not take LUA records says so: at the start, and as the reason why it is late',
  async () => {
    const own = await startStand(world, {
      ...(refusing === undefined ? {} : { program: refusing }),
      settings: (site) => (site === 'tyo' ? ['enable-lua-record-updates=no'] : []),
    });
    let service: Running | null = null;
    try {
      const config = await writeServiceFiles(own, `${own.sites[0].dns.host}:8053`);
      const checked = await execa(
        process.execPath,
        ['bin/causeway-geodns', 'check', '--sites', '-c', config],
        { reject: false },
      );
      expect(checked.exitCode).toBe(1);
      expect(checked.stdout).toMatch(/tyo \(PowerDNS 5\.\d+\.\d+\): set enable-lua-record-updates=yes/);
      service = await startGeoDns(await readFiles(config), quiet);
      await waitUntil(
        'the reason to be told',
        () => /enable-lua-record-updates=yes/.test(JSON.stringify(service?.sync.state().sites)),
        patient,
      );
      expect(await addresses(own.sites[0], mobile)).toBe(all);
    } finally {
      await service?.stop();
      await own.stop();
    }
  },
);

test('another database of countries of the same world changes nothing', async () => {
  const [site] = [stand.sites[2]];
  const watch = await watched([all], async () => {
    writeFileSync(
      `${site.mmdb.country}.new`,
      writeMmdb(countryEntries(), { type: 'City', buildEpochSeconds: built + 1 }),
    );
    renameSync(`${site.mmdb.country}.new`, site.mmdb.country);
    await site.kill();
    await site.start();
    await everywhere(all);
  });
  expect(watch.wrong).toEqual([]);
});
