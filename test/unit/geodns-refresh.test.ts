/** New GeoIP databases: what is refused and held, how files change places, and what PowerDNS's control socket says. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refreshConfig } from '../../geodns/data/config.ts';
import { reloadPowerDns } from '../../geodns/data/control-socket.ts';
import { fetchDatabases } from '../../geodns/data/fetch.ts';
import { judge, type JudgeBounds, type Pair } from '../../geodns/data/judge.ts';
import { nothingRemembered, readMemory, writeMemory } from '../../geodns/data/memory.ts';
import { dropSets, keepSet, pathsIn, pointAt, setOf, setPaths } from '../../geodns/data/sets.ts';
import { MmdbError, mmdbOf } from '../../geodns/mmdb/geo.ts';
import { type MmdbEntry, writeMmdb } from '../../geodns/mmdb/write.ts';
import { loadConfig } from '../../geodns/service/config.ts';
import { formatProblem } from '../../geodns/yaml-file.ts';
import { asnEntries, countryEntries, worldMmdbs } from '../../lab/geodns/world.ts';
import { labNetworks, labRules } from '../support/geodns.ts';

const world = worldMmdbs();
const built = 1_796_000_000;
const now = (built + 86_400) * 1000;
const asnFile = (entries: readonly MmdbEntry[], epoch = built + 3600, type = 'Causeway-Lab-ASN'): Buffer =>
  writeMmdb(entries, { type, buildEpochSeconds: epoch });
const pair = (asn: Buffer = world.asn, country: Buffer = world.country): Pair => ({
  asn: mmdbOf('asn.mmdb', asn, 'asn'),
  country: mmdbOf('country.mmdb', country, 'country'),
});
const bounds: JudgeBounds = {
  maxAgeMillis: 21 * 86_400_000,
  leastSize: 0.8,
  mostChanged: 0.05,
  sample: 1000,
  canaries: [{ ip: '120.196.1.1', asn: 56_040, country: 'CN' }],
};
const judged = (fresh: Pair, more: Partial<JudgeBounds> = {}, nowMillis = now): ReturnType<typeof judge> =>
  judge(pair(), fresh, labRules, labNetworks, { ...bounds, ...more }, nowMillis);
/** Everybody of `from` belongs to `to`. */
const moved = (from: number, to: number): readonly MmdbEntry[] =>
  asnEntries().map(({ prefix, record }) => {
    const asn: unknown = typeof record === 'object' ? Reflect.get(record, 'autonomous_system_number') : null;
    return asn === from ? { prefix, record: { autonomous_system_number: to } } : { prefix, record };
  });

describe('the judge', () => {
  test('finds nothing wrong with a newer build of the same', () => {
    expect(judged(pair(asnFile(asnEntries())))).toMatchObject({
      problems: [],
      changed: 0,
      tooMuchChanged: false,
    });
  });

  test.each([
    {
      name: 'older than the present one',
      fresh: () => pair(asnFile(asnEntries(), built - 60)),
      says: /asn\.mmdb was built at .* before the present one/,
    },
    {
      name: 'of another product',
      fresh: () => pair(asnFile(asnEntries(), built + 60, 'GeoLite2-City')),
      says: /is of type GeoLite2-City, the present one of Causeway-Lab-ASN/,
    },
    {
      name: 'much smaller',
      fresh: () => pair(asnFile(asnEntries().slice(0, 14))),
      says: /nodes, the present one .*: less than 80 % of it/,
    },
    {
      name: 'from the future',
      fresh: () => pair(asnFile(asnEntries(), built + 30 * 86_400)),
      says: /built in the future/,
    },
    {
      name: 'wrong about a canary',
      fresh: () => pair(asnFile(moved(56_040, 64_999))),
      says: /120\.196\.1\.1 is AS64999 CN in the new databases, not AS56040 CN/,
    },
  ])('refuses one that is $name', ({ fresh, says }) => {
    const { problems } = judged(fresh());
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(says);
  });

  test('refuses one that is too old, though it is the newest', () => {
    const late = now + 40 * 86_400_000;
    expect(judged(pair(asnFile(asnEntries())), {}, late).problems[0]).toMatch(/days old, at most 21 days/);
  });

  test('counts users whose rule changes, and asks about those whom the two databases tell apart', () => {
    const found = judged(pair(asnFile(moved(9808, 64_999))), { canaries: [] });
    expect(found.problems).toEqual([]);
    expect(found.changed).toBeGreaterThan(0.01);
    expect(found.tooMuchChanged).toBe(found.changed > 0.05);
    expect(judged(pair(asnFile(moved(9808, 64_999))), { mostChanged: 0.001 }).tooMuchChanged).toBe(true);
    expect(found.canaries.length).toBeGreaterThan(5);
    expect(found.canaries.some((text) => text.startsWith('127.'))).toBe(false);
    expect(found.canaries.some((text) => text.startsWith('120.19'))).toBe(true);
  });

  test.each([
    { name: 'truncated', bytes: world.asn.subarray(0, 700), code: 'mmdb-broken' },
    { name: 'empty', bytes: Buffer.alloc(0), code: 'mmdb-broken' },
    { name: 'no MMDB', bytes: Buffer.from('<html>rate limit exceeded</html>'), code: 'mmdb-broken' },
    { name: 'of the wrong kind', bytes: world.country, code: 'mmdb-layout' },
  ])('is never shown one that is $name', ({ bytes, code }) => {
    expect(() => mmdbOf('asn.mmdb', Buffer.from(bytes), 'asn')).toThrow(MmdbError);
    try {
      mmdbOf('asn.mmdb', Buffer.from(bytes), 'asn');
    } catch (error) {
      expect(error).toMatchObject({ code });
    }
  });
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-refresh-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
/** A pair of files in a folder of the test; `mark` makes them another set. */
const filesIn = (name: string, mark: string): ReturnType<typeof pathsIn> => {
  mkdirSync(at(name), { recursive: true });
  const paths = pathsIn(at(name));
  writeFileSync(paths.asn, `asn ${mark}`);
  writeFileSync(paths.country, `country ${mark}`);
  return paths;
};

describe('sets of files', () => {
  test('a plain file in use becomes a set, and its path a link that changes in one step', async () => {
    const used = filesIn('used', 'old');
    const bytes = statSync(used.asn).ino;
    const old = await keepSet(folder, used);
    expect(await setOf(folder, used.asn)).toBeNull();
    const fresh = await keepSet(folder, filesIn('incoming', 'new'));
    await pointAt(used, setPaths(folder, fresh));
    expect(lstatSync(used.asn).isSymbolicLink()).toBe(true);
    expect(readFileSync(used.country, 'utf8')).toBe('country new');
    expect(await setOf(folder, used.asn)).toBe(fresh);
    // Whoever has the old file mapped still has its bytes: they were moved, not written over.
    expect(statSync(setPaths(folder, old).asn).ino).toBe(bytes);
    await pointAt(used, setPaths(folder, old));
    expect(readFileSync(used.asn, 'utf8')).toBe('asn old');
    expect(readdirSync(at('used')).sort()).toEqual(['asn.mmdb', 'country.mmdb']);
  });

  test('the same bytes are the same set, and a set that was cut short is made anew', async () => {
    const id = await keepSet(folder, filesIn('one', 'x'));
    rmSync(setPaths(folder, id).country);
    expect(await keepSet(folder, filesIn('two', 'x'))).toBe(id);
    expect(existsSync(setPaths(folder, id).country)).toBe(true);
  });

  test('all but the kept ones are removed', async () => {
    const [a, b, c] = [
      await keepSet(folder, filesIn('a', 'a')),
      await keepSet(folder, filesIn('b', 'b')),
      await keepSet(folder, filesIn('c', 'c')),
    ];
    await dropSets(folder, [a, null, c]);
    expect(readdirSync(at('sets')).sort()).toEqual([a, c].sort());
    expect(b).not.toBe(a);
  });

  test('what is remembered comes back, and a broken file is as none', async () => {
    const memory = {
      ...nothingRemembered,
      current: 'a',
      rolling: { from: 'a', to: 'b' },
      canaries: ['192.0.2.1'],
    };
    await writeMemory(folder, memory);
    expect(await readMemory(folder)).toEqual(memory);
    writeFileSync(at('refresh.json'), '{"schema":1,');
    expect(await readMemory(folder)).toEqual(nothingRemembered);
  });
});

describe('fetching', () => {
  const signal = new AbortController().signal;

  test('copies from a folder, and leaves the originals', async () => {
    filesIn('source', 'new');
    const got = await fetchDatabases({ folder: at('source') }, folder, signal);
    expect(readFileSync(got.asn, 'utf8')).toBe('asn new');
    expect(existsSync(at('source/asn.mmdb'))).toBe(true);
  });

  test('runs a command that writes into a folder of ours', async () => {
    const script = 'printf a >"$CAUSEWAY_GEOIP_INTO/asn.mmdb"; printf c >"$CAUSEWAY_GEOIP_INTO/country.mmdb"';
    const got = await fetchDatabases({ command: ['sh', '-c', script] }, folder, signal);
    expect(readFileSync(got.country, 'utf8')).toBe('c');
  });

  test('downloads over HTTP', async () => {
    const server = createHttpServer((request, response) => response.end(request.url));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const urls = { asn: `${base}/a`, country: `${base}/c` };
    const got = await fetchDatabases({ urls }, folder, signal).finally(() => server.close());
    expect(readFileSync(got.country, 'utf8')).toBe('/c');
  });

  test.each([
    { name: 'a folder without the files', source: { folder: '/nonexistent' } },
    { name: 'a command that fails', source: { command: ['sh', '-c', 'exit 3'] } },
    { name: 'a command that writes nothing', source: { command: ['true'] } },
    {
      name: 'a server that is not there',
      source: { urls: { asn: 'http://127.0.0.1:1/a', country: 'http://127.0.0.1:1/c' } },
    },
  ])('says why it failed: $name', async ({ source }) => {
    await expect(fetchDatabases(source, folder, signal)).rejects.toMatchObject({
      code: 'geoip-not-fetched',
      message: expect.stringMatching(/^new databases could not be fetched: ./),
    });
  });
});

describe('the control socket', () => {
  const answering = async (answer: string | null): Promise<Server> => {
    const server = createServer((socket) => {
      socket.once('data', (line) => {
        if (String(line) === 'reload\n' && answer !== null) socket.end(answer);
        else socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(at('control'), resolve));
    return server;
  };
  test.each([
    { name: 'Ok', answer: 'Ok\n', fine: true },
    { name: 'an error', answer: 'Unknown command\n', fine: false },
    { name: 'nothing', answer: null, fine: false },
  ])('that answers $name', async ({ answer, fine }) => {
    const server = await answering(answer);
    const asked = reloadPowerDns(at('control')).finally(() => server.close());
    if (fine) await expect(asked).resolves.toBeUndefined();
    else await expect(asked).rejects.toMatchObject({ code: 'pdns-control' });
  });
  test('that is not there is told', async () => {
    await expect(reloadPowerDns(at('nothing'))).rejects.toThrow(/did not reload/);
  });
});

describe('the config', () => {
  const text = (refresh: string): string =>
    `rules: /r\nnetworks: /n\nmmdb: { asn: /a, country: /c }\ntokens_file: /t\nsites:\n  - { name: hkg, api: "http://127.0.0.1:8081", key_file: /k, dns: "127.0.0.1:53" }\nrefresh:\n${refresh}`;
  test.each([
    {
      name: 'a site that there is not',
      refresh: '  folder: /f\n  source: { folder: /s }\n  sites: { tyo: { command: [x] } }\n',
      says: /:10:12: refresh\.sites\.tyo: no site is called tyo; there are hkg/,
    },
    {
      name: 'two sources',
      refresh: '  folder: /f\n  source: { folder: /s, command: [x] }\n',
      says: /:9:3: refresh\.source: needs one of folder, urls and command/,
    },
    {
      name: 'a pattern that is none',
      refresh: '  folder: /f\n  source: { folder: /s }\n  schedule: "every tuesday"\n',
      says: /:10:3: refresh\.schedule: must be a cron pattern of five fields/,
    },
    {
      name: 'control without files',
      refresh: '  folder: /f\n  source: { folder: /s }\n  sites: { hkg: { control: /c } }\n',
      says: /control reloads what is on this machine, so it needs files/,
    },
    {
      name: 'an unknown time zone',
      refresh: '  folder: /f\n  source: { folder: /s }\n  timezone: Mars/Olympus\n',
      says: /must be a time zone of the IANA database/,
    },
  ])('with $name is refused with its place', ({ refresh, says }) => {
    const loaded = loadConfig('geodns.yaml', text(refresh));
    expect(loaded.kind).toBe('refused');
    if (loaded.kind === 'refused') expect(loaded.problems.map(formatProblem).join('\n')).toMatch(says);
  });

  test('has defaults for everything but the folder and the source', () => {
    const config = refreshConfig.parse({ folder: '/f', source: { folder: '/s' } });
    expect(config).toMatchObject({
      schedule: '30 4 * * 2',
      check: { max_age: 21 * 86_400_000, least_size: 0.8, most_changed: 0.05, sample: 20_000 },
      patience: 60_000,
    });
  });
});

test('country databases are judged as well', () => {
  const older = writeMmdb(countryEntries(), { type: 'Causeway-Lab-City', buildEpochSeconds: built - 5 });
  expect(judged(pair(asnFile(asnEntries()), older)).problems).toHaveLength(1);
});
