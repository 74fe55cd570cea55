/** The GeoDNS companion as its package sets it up, in a booted Debian without PowerDNS: its user, its folders, its sandbox. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../lab/network/wait.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { buildPackage } from '../support/built-package.ts';
import { bootContainer, type Container } from '../support/container.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-package-'));
const service = 'causeway-geodns.service';
const token = 'a-token-of-more-than-16';
let deb = '';

beforeAll(() => {
  deb = buildPackage(folder);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** That of docs/geodns.md with one site, whose PowerDNS is not there. */
function config(rules = '/var/lib/causeway-geodns/rules.yaml'): string {
  const lines = [
    'listen: "127.0.0.1:8053"',
    'state: /var/lib/causeway-geodns',
    `rules: ${rules}`,
    'networks: /var/lib/causeway-geodns/networks.yaml',
    'mmdb: { asn: /var/lib/geoip/asn.mmdb, country: /var/lib/geoip/country.mmdb }',
    'tokens_file: /etc/causeway-geodns/tokens.yaml',
    'sites:',
    '  - { name: hkg, api: "http://127.0.0.1:8081", key_file: /etc/causeway-geodns/hkg.key, dns: "127.0.0.1:53" }',
  ];
  return `${lines.join('\n')}\n`;
}

/** How docs/geodns.md says that rules and networks come to their place. */
function documentedInstall(): string {
  const line = /^ {4}(install .* \/var\/lib\/causeway-geodns .*)$/m.exec(
    readFileSync('docs/geodns.md', 'utf8'),
  );
  if (line?.[1] === undefined) throw new Error('docs/geodns.md has no install line');
  return line[1];
}

describe.each(['bookworm', 'trixie'])('on %s', (suite) => {
  let box: Container;

  beforeAll(async () => {
    const tree = execFileSync('bash', ['test/full/debian-tree', suite], { encoding: 'utf8' }).trim();
    box = await bootContainer(tree);
    copyFileSync(deb, join(box.root, 'root', basename(deb)));
    await box.sh(`apt-get install -y --no-install-recommends /root/${basename(deb)} </dev/null`);
  }, 900_000);
  afterAll(() => box?.stop(), 120_000);

  const write = (path: string, data: string | Buffer): void => writeFileSync(join(box.root, path), data);
  const property = async (name: string): Promise<string> =>
    (await box.sh(`systemctl show -P ${name} ${service}`)).trim();
  const journal = (): Promise<string> => box.sh(`journalctl --no-pager -o cat -u ${service}`);
  const until = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
    waitUntil(what, isSo, { timeoutMillis: 120_000, everyMillis: 300 });
  const says = (text: string): Promise<true> =>
    until(`the journal to have: ${text}`, async () => (await journal()).includes(text));

  test('its folders are there from the beginning, for it alone', async () => {
    const modes = await box.sh('stat -c "%a %U %G" /etc/causeway-geodns /var/lib/causeway-geodns');
    expect(modes.trim()).toBe('2750 root causeway-geodns\n750 causeway-geodns causeway-geodns');
  });

  test('without its files it says which one is missing, and is not tried again', async () => {
    await box.sh(`systemctl start ${service}`);
    await until('its end', async () => (await property('ActiveState')) === 'failed');
    expect(await property('ExecMainStatus')).toBe('2');
    expect(await property('NRestarts')).toBe('0');
    expect(await journal()).toContain('/etc/causeway-geodns/geodns.yaml');
  });

  test('with its files, set up as documented, it runs as its own user and tells that the primary is away', async () => {
    const sha256 = createHash('sha256').update(token).digest('hex');
    write('etc/causeway-geodns/tokens.yaml', `tokens: [{ name: ops, role: admin, sha256: ${sha256} }]\n`);
    write('etc/causeway-geodns/hkg.key', 'key\n');
    write('etc/causeway-geodns/geodns.yaml', config());
    await box.sh('chmod 640 /etc/causeway-geodns/*');
    mkdirSync(join(box.root, 'var/lib/geoip'));
    for (const [name, data] of Object.entries(worldMmdbs())) write(`var/lib/geoip/${name}.mmdb`, data);
    write('root/rules.yaml', readFileSync('lab/geodns/rules.yaml'));
    await box.sh(`cd /root && ${documentedInstall()}`);
    await box.sh(`systemctl reset-failed ${service} && systemctl start ${service}`);
    await says('"msg":"started"');
    await says('the primary was not written');
    expect(await journal()).not.toContain('cannot be replaced by us');
    const pid = await property('MainPID');
    expect((await box.sh(`stat -c %U /proc/${pid}`)).trim()).toBe('causeway-geodns');
    write('root/token', `${token}\n`);
    const status = await box.tryTo('causeway-geodns status --token-file /root/token');
    expect(status).toMatchObject({ code: 1, text: expect.stringMatching(/^ALARM +.*8081 does not answer/m) });
  });

  test('rules that an operator applies are written into their file from inside the sandbox', async () => {
    const file = '/var/lib/causeway-geodns/rules.yaml';
    await box.sh('sed "s/use: \\[hk-cmi, hk-pccw\\] }/use: [hk-hkbn] }/" /root/rules.yaml >/root/other.yaml');
    await box.sh('causeway-geodns apply /root/other.yaml --yes --reason full --token-file /root/token');
    await box.sh(`cmp /root/other.yaml ${file}`);
    expect((await box.sh(`stat -c "%a %U" ${file}`)).trim()).toBe('640 causeway-geodns');
  });

  test('rules below /etc are read, and it says at the start that it cannot replace them', async () => {
    await box.sh('install -m 640 -t /etc/causeway-geodns /root/rules.yaml');
    write('etc/causeway-geodns/geodns.yaml', config('/etc/causeway-geodns/rules.yaml'));
    await box.sh(`systemctl restart ${service}`);
    await says('"path":"/etc/causeway-geodns/rules.yaml","msg":"cannot be replaced by us');
    const refused = await box.tryTo('causeway-geodns apply /root/other.yaml --yes --token-file /root/token');
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('cannot be written') });
  });
});
