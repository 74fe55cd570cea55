/** The command `causeway-geodns` over files, and over a running service on loopback. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readTls } from '../../geodns/api/listener.ts';
import { exitCodeOf, linesOf } from '../../geodns/cli/failure.ts';
import { buildProgram } from '../../geodns/cli/program.ts';
import { RevisionStore } from '../../geodns/service/revisions.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { expectPublished } from '../support/published-json.ts';
import { cmToHkbnText, labNetworksText, labRulesText } from '../support/geodns.ts';
import { type GeoDnsWorld, geodnsWorld, serveWorld, worldTokens } from '../support/geodns-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-geodns-cli-'));
const at = (name: string): string => join(folder, name);

function writeConfig(name: string, lines: readonly string[]): string {
  const config = [
    `state: ${at('state')}`,
    `rules: ${at('rules.yaml')}`,
    `networks: ${at('networks.yaml')}`,
    `mmdb: { asn: ${at('asn.mmdb')}, country: ${at('country.mmdb')} }`,
    `tokens_file: ${at('tokens.yaml')}`,
    `sites: [{ name: hkg, api: "http://127.0.0.1:9", key_file: ${at('key')}, dns: "127.0.0.1:9" }]`,
    ...lines,
  ];
  writeFileSync(at(name), `${config.join('\n')}\n`);
  return at(name);
}

beforeAll(() => {
  mkdirSync(at('state'));
  writeFileSync(at('rules.yaml'), labRulesText);
  copyFileSync('networks.yaml', at('networks.yaml'));
  const { asn, country } = worldMmdbs();
  writeFileSync(at('asn.mmdb'), asn);
  writeFileSync(at('country.mmdb'), country);
  writeFileSync(at('key'), 'key');
  const sha256 = createHash('sha256').update(worldTokens.ops).digest('hex');
  writeFileSync(at('tokens.yaml'), `tokens:\n  - { name: ops, role: admin, sha256: ${sha256} }\n`);
  writeFileSync(at('token'), `${worldTokens.ops}\n`);
  writeConfig('geodns.yaml', []);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

interface Ran {
  readonly code: number;
  readonly text: string;
}

/** As it stands now, which the compiler cannot know. */
const exitCode = (): number => Number(process.exitCode ?? 0);

/** As main.ts runs it, in this process. */
async function run(...words: readonly string[]): Promise<Ran> {
  let text = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  process.exitCode = undefined;
  try {
    await buildProgram().parseAsync(['node', 'causeway-geodns', ...words]);
    return { code: exitCode(), text };
  } catch (error) {
    return { code: exitCodeOf(error, words[0]), text: `${text}${linesOf(error).join('\n')}` };
  } finally {
    write.mockRestore();
  }
}

const config = (): readonly string[] => ['-c', at('geodns.yaml')];

test('each command says in --help what it does, and has --json', () => {
  const { commands } = buildProgram();
  const wanted =
    'run check decide status override apply revisions rollback geoip steering freeze thaw promote propose';
  expect(commands.map((command) => command.name())).toEqual(wanted.split(' '));
  for (const command of commands) {
    expect(command.description()).not.toBe('');
    const isService = command.name() === 'run';
    expect([command.name(), command.helpInformation().includes('--json')]).toEqual([
      command.name(),
      !isService,
    ]);
  }
});

test('help is no failure, and what is no command or option is one of usage', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (const words of [['nosuch'], ['check', '--nosuch'], ['promote']])
    expect([words, (await run(...words)).code]).toEqual([words, 2]);
  expect(await run('status', '--help')).toEqual({ code: 0, text: expect.stringContaining('--token-file') });
});

describe('check', () => {
  test('says what would be published, for people and for programs', async () => {
    expect(await run('check', ...config())).toEqual({
      code: 0,
      text: expect.stringMatching(/^geo\.test\. \d+ rrsets/),
    });
    const { text } = await run('check', '--json', ...config());
    expect(expectPublished('geodns-check', text)).toMatchObject({ zone: 'geo.test.', problems: [] });
  });

  test('answers no to a bad file and to a certificate without its key', async () => {
    const bad = writeConfig('bad.yaml', [`tls: { cert_file: ${at('key')}, key_file: ${at('key')} }`]);
    expect(await run('check', '-c', bad)).toEqual({
      code: 1,
      text: expect.stringContaining('are no certificate with its key'),
    });
    expect((await run('check', '-c', at('nosuch.yaml'))).code).toBe(1);
  });
});

describe('decide', () => {
  test('tells of one name, or of every policy, with the reasons', async () => {
    const one = await run('decide', 'www.geo.test', '120.196.1.1', ...config());
    expect(one.text).toMatch(/^policy cdn\n {2}access network cm by AS56040/);
    const all = await run('decide', '120.196.1.1', '--json', ...config());
    expect(expectPublished('geodns-decide', all.text)).toMatchObject([
      { policy: 'cdn', pool: 'hk-cmi', rule: { number: 3 }, ip: '120.196.1.1' },
      { policy: 'static', pool: 'hk-any' },
    ]);
  });

  test('refuses what is no address, no name and no type', async () => {
    for (const words of [['x'], ['nosuch.test', '1.1.1.1'], ['1.1.1.1', '--type', 'MX'], ['a', 'b', 'c']])
      expect([words, (await run('decide', ...words, ...config())).code]).toEqual([words, 2]);
  });
});

describe('revisions and rollback', () => {
  test('of a stopped service are read and brought back in the files', async () => {
    expect((await run('revisions', ...config())).code).toBe(2);
    const store = await RevisionStore.open(join(at('state'), 'revisions'));
    const stamp = { author: 'ops', reason: 'tried', at: '2026-11-30T00:00:00Z', of: null, before: null };
    await store.add({ ...stamp, serial: 7, texts: { rules: cmToHkbnText, networks: labNetworksText } });
    expect((await run('revisions', ...config())).text).toMatch(/^ {3}1 .*serial 7 {2}ops: tried\n$/);
    expect((await run('revisions', '1', ...config())).text).toBe(cmToHkbnText);
    const shown = await run('rollback', '1', '--offline', ...config());
    expect([shown.code, readFileSync(at('rules.yaml'), 'utf8')]).toEqual([0, labRulesText]);
    expect((await run('rollback', '1', '--offline', '--yes', ...config())).text).toContain(
      'start the service',
    );
    expect(readFileSync(at('rules.yaml'), 'utf8')).toBe(cmToHkbnText);
    const { text } = await run('revisions', '--json', ...config());
    expect(expectPublished('geodns-revisions', text)).toMatchObject([
      { number: 2, of: 1, serial: null, reason: 'back to 1' },
      { number: 1 },
    ]);
    const one = await run('revisions', '2', '--json', ...config());
    expect(expectPublished('geodns-revisions', one.text)).toMatchObject({ texts: { rules: cmToHkbnText } });
    const offline = await run('rollback', '1', '--offline', '--json', ...config());
    expect(expectPublished('geodns-rollback', offline.text)).toEqual({ number: 1, written: false });
    writeFileSync(at('rules.yaml'), labRulesText);
  });

  test('that are not there are named with those that are', async () => {
    const gone = await run('rollback', '9', '--offline', ...config());
    expect(gone).toEqual({ code: 2, text: expect.stringMatching(/no revision 9; there are 1, 2/) });
    expect((await run('rollback', 'x', '--offline', ...config())).code).toBe(2);
  });

  test('need the token of an operator, and a service that answers', async () => {
    expect((await run('rollback', '1', ...config())).text).toContain('--token-file');
    const away = writeConfig('away.yaml', ['listen: "127.0.0.1:9"']);
    const answer = await run('rollback', '1', '--token-file', at('token'), '-c', away);
    expect(answer).toEqual({ code: 3, text: expect.stringContaining('is the service running?') });
  });
});

describe('rollback over the running service', () => {
  let world: GeoDnsWorld;
  beforeAll(async () => {
    world = await geodnsWorld();
    await world.desk.apply({ rules: cmToHkbnText, networks: labNetworksText }, 1, 'kim', 'tried');
  });
  afterAll(() => world.close());

  test.each([false, true])('shows whom it moves, and does it with --yes (TLS: %s)', async (secure) => {
    const files = { certFile: at('cert.pem'), keyFile: at('key.pem') };
    if (secure) {
      const out = ['-keyout', files.keyFile, '-out', files.certFile];
      const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
      execaSync('openssl', ['req', ...kind, '-subj', '/CN=x', '-days', '1', ...out]);
    }
    const served = await serveWorld(world, secure ? await readTls(files) : null);
    try {
      const there = writeConfig('there.yaml', [
        `listen: "127.0.0.1:${new URL(served.url).port}"`,
        ...(secure ? [`tls: { cert_file: ${files.certFile}, key_file: ${files.keyFile} }`] : []),
      ]);
      const words = ['--token-file', at('token'), '-c', there];
      const before = world.desk.current()?.number ?? 0;
      const back = String(before - 1);
      const shown = await run('rollback', back, ...words);
      expect(shown.text).toMatch(/of users would be answered otherwise \(by size of networks\)/);
      expect(shown.text).toMatch(/AS9808 cm CN: hk-\w+ -> hk-\w+/);
      expect(world.desk.current()?.number).toBe(before);
      const previewed = await run('rollback', back, '--json', ...words);
      expect(expectPublished('geodns-rollback', previewed.text)).toMatchObject({ ok: true });
      const done = await run('rollback', back, '--yes', '--reason', 'it was better', ...words);
      expect(done).toEqual({ code: 0, text: `revision ${back} is in force again\n` });
      expect(world.desk.current()).toMatchObject({
        number: before + 1,
        author: 'ops',
        reason: 'it was better',
      });
      expect((await run('rollback', '99', ...words)).code).toBe(1);
      const again = await run('rollback', back, '--yes', '--json', ...words);
      expect(expectPublished('geodns-rollback', again.text)).toMatchObject({ changed: false });
    } finally {
      await served.app.close();
    }
  });

  test('is not sent to a listener with another certificate', async () => {
    const served = await serveWorld(
      world,
      await readTls({ certFile: at('cert.pem'), keyFile: at('key.pem') }),
    );
    try {
      const out = ['-keyout', at('other.key'), '-out', at('other.pem')];
      execaSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=x', ...out]);
      const there = writeConfig('other.yaml', [
        `listen: "127.0.0.1:${new URL(served.url).port}"`,
        `tls: { cert_file: ${at('other.pem')}, key_file: ${at('other.key')} }`,
      ]);
      const answer = await run('rollback', '1', '--token-file', at('token'), '-c', there);
      expect(answer).toEqual({ code: 3, text: expect.stringContaining('not the one of tls.cert_file') });
    } finally {
      await served.app.close();
    }
  });
});

test('propose names ASNs of the database that networks.yaml does not have', async () => {
  const words = ['propose', '--networks', at('networks.yaml'), '--mmdb', at('asn.mmdb')];
  const { code, text } = await run(...words, '--json');
  expect(code).toBe(0);
  const found = expectPublished('geodns-propose', text);
  expect(found).toMatchObject({ absent: expect.any(Array) });
  expect((await run(...words)).text.split('\n').length - 1).toBe(
    Object.values(found as object).flat().length,
  );
});
