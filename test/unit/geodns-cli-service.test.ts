/** Commands of `causeway-geodns` that speak with a running service: real routes and journal, on loopback. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { exitCodeOf, linesOf } from '../../geodns/cli/failure.ts';
import { buildProgram } from '../../geodns/cli/program.ts';
import { cmToHkbnText } from '../support/geodns.ts';
import { type DataApi, dataTokens, measureVietnam, startDataApi } from '../support/geodns-data.ts';
import { type GeoDnsWorld, geodnsWorld, type ServedWorld, serveWorld } from '../support/geodns-world.ts';
import { expectPublished } from '../support/published-json.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-geodns-cli-'));
const at = (name: string): string => join(folder, name);

function configFor(url: string): string {
  const lines = [
    `listen: "127.0.0.1:${new URL(url).port}"`,
    `state: ${at('state')}`,
    `rules: ${at('rules.yaml')}`,
    `networks: ${at('networks.yaml')}`,
    `mmdb: { asn: ${at('asn.mmdb')}, country: ${at('country.mmdb')} }`,
    `tokens_file: ${at('tokens.yaml')}`,
    `sites: [{ name: hkg, api: "http://127.0.0.1:9", key_file: ${at('key')}, dns: "127.0.0.1:9" }]`,
  ];
  writeFileSync(at('geodns.yaml'), `${lines.join('\n')}\n`);
  return at('geodns.yaml');
}

beforeAll(() => {
  for (const [name, token] of Object.entries(dataTokens)) writeFileSync(at(name), `${token}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** As it stands now, which the compiler cannot know. */
const exitCode = (): number => Number(process.exitCode ?? 0);

/** As main.ts runs it, in this process, with an operator's token unless another is named. */
async function run(url: string, ...words: readonly string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  const token = words.includes('--token-file') ? [] : ['--token-file', at('ops')];
  process.exitCode = undefined;
  try {
    await buildProgram().parseAsync(['node', 'causeway-geodns', ...words, ...token, '-c', configFor(url)]);
    return { code: exitCode(), text };
  } catch (error) {
    return { code: exitCodeOf(error, words[0]), text: linesOf(error).join('\n') };
  } finally {
    write.mockRestore();
  }
}

describe('an operator', () => {
  let api: DataApi;
  beforeAll(async () => {
    api = await startDataApi({ rum: { open: true } });
  });
  afterAll(() => api.stop());

  test('overrides a target for a time, sees it in status and in decide, and ends it', async () => {
    const set = await run(api.url, 'override', 'hk1/cmi', 'down', '--for', '2h', '--reason', 'fibre cut');
    expect(set).toEqual({ code: 0, text: expect.stringMatching(/^hk1\/cmi is down until 20\S+Z\n$/) });
    const { text } = await run(api.url, 'status');
    expect(text).toMatch(/^target {4}hk1\/cmi cmi: IPv4 down \(override: /m);
    expect(text).toMatch(/^override {2}hk1\/cmi down until \S+ by ops: fibre cut$/m);
    const decided = await run(api.url, 'decide', 'www.geo.test', '120.196.1.1');
    expect(decided.text).toContain('hk1/cmi is down (override');
    const json = await run(api.url, 'decide', 'www.geo.test', '120.196.1.1', '--json');
    expect(JSON.parse(json.text)).toMatchObject({ answer: { addresses: ['203.0.113.41'] } });
    expect((await run(api.url, 'override', 'hk1/cmi', 'auto', '--reason', 'mended')).code).toBe(0);
    expect((await run(api.url, 'status')).text).not.toContain('override');
  });

  test('sets one family alone', async () => {
    const words = ['override', '*/pccw', 'drain', '--for', '5min', '--family', '6', '--reason', 'x'];
    expect((await run(api.url, ...words, '--json')).text).toMatch(/^\{"revision":\d+\}\n$/);
    const { text } = await run(api.url, 'status', '--json');
    expect(JSON.parse(text).state.overrides).toMatchObject([{ glob: '*/pccw', family: 6, state: 'drain' }]);
    await run(api.url, 'override', '*/pccw', 'auto', '--family', '6', '--reason', 'x');
  });

  test('is told in status what needs a person, with exit code 1, and 0 where nothing does', async () => {
    expect((await run(api.url, 'status')).code).toBe(0);
    const all = ['override', '*/*', 'down', '--for', '1h', '--reason', 'x'];
    await run(api.url, ...all);
    expect(await run(api.url, 'status')).toEqual({
      code: 1,
      text: expect.stringMatching(/^ALARM {5}all-down: cdn rule 1 IPv4$/m),
    });
    await run(api.url, 'override', '*/*', 'auto', '--reason', 'x');
  });

  test('freezes and thaws, and sees that nothing is proposed', async () => {
    expect((await run(api.url, 'freeze', '--reason', 'fair')).text).toBe('frozen\n');
    expect((await run(api.url, 'steering')).text).toBe(
      'mode shadow, frozen by ops: fair\nnothing is proposed, and nothing acts\n',
    );
    expect((await run(api.url, 'thaw', '--reason', 'over')).text).toBe('not frozen\n');
    const reverted = await run(api.url, 'steering', 'revert', 'cdn', '3', '--reason', 'x');
    expect(reverted).toEqual({ code: 1, text: expect.stringContaining('nothing to revert') });
  });

  test('is told that databases are not refreshed here', async () => {
    expect((await run(api.url, 'geoip')).text).toContain('databases are brought by hand');
    const fetched = await run(api.url, 'geoip', 'refresh');
    expect(fetched).toEqual({ code: 1, text: expect.stringContaining('there is no refresh in geodns.yaml') });
  });

  test.each([
    ['override', 'hk1', 'down', '--for', '2h', '--reason', 'x'],
    ['override', 'hk1/cmi', 'gone', '--for', '2h', '--reason', 'x'],
    ['override', 'hk1/cmi', 'down', '--reason', 'x'],
    ['override', 'hk1/cmi', 'down', '--for', 'long', '--reason', 'x'],
    ['geoip', 'swap'],
    ['steering', 'accept', 'cdn'],
    ['decide', '120.196.1.1'],
  ])('who says %s %s %s is told the usage', async (...words) => {
    expect((await run(api.url, ...words)).code).toBe(2);
  });

  test('of another role, or beyond the limit, is refused with the words of the service', async () => {
    const reader = await run(api.url, 'freeze', '--reason', 'x', '--token-file', at('reader'));
    expect(reader.code).toBe(1);
    const long = await run(api.url, 'override', 'hk1/cmi', 'down', '--for', '31d', '--reason', 'x');
    expect(long).toEqual({ code: 1, text: expect.stringContaining('30 days') });
  });
});

describe('with --json, as docs/schemas publishes it, is printed', () => {
  let api: DataApi;
  beforeAll(async () => {
    api = await startDataApi({ rum: { open: true } });
    measureVietnam(api);
    await api.data.steerer.round();
  });
  afterAll(() => api.stop());
  const why = ['--reason', 'x'];

  test.each([
    ['geodns-override', ['override', 'hk1/cmi', 'drain', '--for', '2h', ...why]],
    ['geodns-status', ['status']],
    ['geodns-decide', ['decide', 'www.geo.test', '120.196.1.1']],
    ['geodns-decide', ['decide', 'www.geo.test', '192.0.2.1', '--type', 'AAAA']],
    ['geodns-geoip', ['geoip']],
    ['geodns-steering', ['steering']],
    ['geodns-steering', ['steering', 'accept', 'cdn', '7', ...why]],
    ['geodns-steering', ['steering']],
    ['geodns-steering', ['steering', 'revert', 'cdn', '7', ...why]],
    ['geodns-freeze', ['freeze', ...why]],
    ['geodns-freeze', ['thaw', ...why]],
  ])('%s: %j', async (name, words) => {
    const { code, text } = await run(api.url, ...words, '--json');
    expect(code).toBe(0);
    expectPublished(name, text);
  });
});

describe('apply', () => {
  let world: GeoDnsWorld;
  let served: ServedWorld;
  beforeAll(async () => {
    world = await geodnsWorld();
    served = await serveWorld(world);
  });
  afterAll(async () => {
    await served.app.close();
    await world.close();
  });

  test('shows whom the file would move, and puts it in force with --yes', async () => {
    writeFileSync(at('other.yaml'), cmToHkbnText);
    const before = world.desk.current()?.number ?? 0;
    const shown = await run(served.url, 'apply', at('other.yaml'));
    expect(shown).toEqual({ code: 0, text: expect.stringMatching(/AS9808 cm CN: hk-cmi -> hk-hkbn/) });
    expect(world.desk.current()?.number).toBe(before);
    const json = await run(served.url, 'apply', at('other.yaml'), '--json');
    expect(expectPublished('geodns-apply', json.text)).toMatchObject({ ok: true, problems: [] });
    const done = await run(served.url, 'apply', at('other.yaml'), '--yes', '--reason', 'measured');
    expect(done).toEqual({ code: 0, text: `revision ${before + 1} is in force\n` });
    expect(world.desk.current()).toMatchObject({ author: 'ops', reason: 'measured' });
    expect(readFileSync(world.paths.rules, 'utf8')).toBe(cmToHkbnText);
    expect((await run(served.url, 'apply', at('other.yaml'), '--yes')).text).toContain('in force already');
    const again = await run(served.url, 'apply', at('other.yaml'), '--yes', '--json');
    expect(expectPublished('geodns-apply', again.text)).toMatchObject({ changed: false });
  });

  test('tells every problem with its line, and changes nothing', async () => {
    writeFileSync(at('bad.yaml'), cmToHkbnText.replaceAll('hk-hkbn]', 'nosuch]'));
    const before = world.desk.current()?.number;
    const answer = await run(served.url, 'apply', at('bad.yaml'), '--yes');
    expect(answer).toEqual({ code: 1, text: expect.stringMatching(/rules\.yaml:\d+:\d+: .*nosuch/) });
    const json = await run(served.url, 'apply', at('bad.yaml'), '--yes', '--json');
    expect(expectPublished('geodns-apply', json.text)).toMatchObject({ ok: false });
    expect(world.desk.current()?.number).toBe(before);
  });
});
