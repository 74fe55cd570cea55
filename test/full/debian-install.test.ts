/**
 * docs/install.md as its reader types it, from the top, in a booted Debian with three carriers: the addresses are those of
 * the example that the page copies, and each carrier is a BIRD in a network namespace of the container. The short way in
 * README.md has no line of its own, and docs/readiness.md one.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { waitUntil } from '../../lab/network/wait.ts';
import { buildPackage } from '../support/built-package.ts';
import { bootContainer, type Container } from '../support/container.ts';
import { type Block, blocksOf, shellLines } from '../support/doc-blocks.ts';

const page = 'docs/install.md';
const folder = mkdtempSync(join(tmpdir(), 'causeway-install-'));
let deb = '';

beforeAll(() => {
  deb = buildPackage(folder);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Carrier {
  readonly interface: string;
  readonly source: readonly [string, string];
  readonly peer: { readonly asn: number; readonly address: readonly [string, string] };
  readonly targets: readonly { readonly ping?: readonly string[]; readonly tcp?: unknown }[];
}

const carriers = Object.entries<Carrier>(parse(readFileSync('docs/causeway.example.yaml', 'utf8')).uplinks);
const prefixes = ['203.0.113.0/24', '2001:db8:a::/48'];

function birdOf({ source, peer }: Carrier): string {
  const sessions = [4, 6].map(
    (
      family,
      index,
    ) => `protocol static { ipv${family}; route ${family === 4 ? '0.0.0.0/0' : '::/0'} unreachable; }
protocol bgp node${family} {
  local ${peer.address[index]} as ${peer.asn};
  neighbor ${source[index]} as 65001;
  ipv${family} { import all; export all; };
}`,
  );
  return `log stderr all;\nrouter id ${peer.address[0]};\nprotocol device {}\n${sessions.join('\n')}\n`;
}

/** Every target answers behind every carrier. */
function networkOf(name: string, { interface: link, source, peer, targets }: Carrier): readonly string[] {
  const texts = JSON.stringify(targets).match(/198\.51\.100\.\d+|2001:db8:6\d::\d+/g) ?? [];
  return [
    `ip netns add ${name}`,
    `ip link add ${link} type veth peer name eth0 netns ${name}`,
    `ip link set ${link} up`,
    `ip -n ${name} link set lo up`,
    `ip -n ${name} link set eth0 up`,
    ...source.map((address) => `ip addr add ${inLink(address)} dev ${link}`),
    ...peer.address.map((address) => `ip -n ${name} addr add ${inLink(address)} dev eth0`),
    ...[...new Set(texts)].map((address) => `ip -n ${name} addr add ${address} dev lo`),
    `systemd-run -q --unit=${name} ip netns exec ${name} bird -f -c /etc/${name}.conf -s /run/${name}.ctl`,
  ];
}

const inLink = (address: string): string => (address.includes(':') ? `${address}/64 nodad` : `${address}/30`);

/** The reader's own work: no readiness check where no server runs, and the page's drop-in where systemctl asks for one. */
const editor = `#!/bin/sh
for file; do :; done
case $file in
  *.yaml) sed -i '/^    ready:/d; /^    alone:/d' "$file" ;;
  *) sed -i '2r /root/drop-in' "$file" ;;
esac
`;

/** apt asks nobody here, and there is no archive to take recommended packages from. */
const apt = 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n';

/** What is run elsewhere: the package and the program are built before, from this checkout. */
const isBuild = (line: string): boolean => line.startsWith('npm ci && npm run ');
const bare = (line: string): string => line.replace(/ +#.*$/, '');

const parts = new Map<string, readonly Block[]>();
for (const block of blocksOf(page)) parts.set(block.heading, [...(parts.get(block.heading) ?? []), block]);
const walked = new Set<string>();

/** Does what a part of the page says, in its order. */
async function walk(box: Container, heading: string, cwd = '/root'): Promise<void> {
  walked.add(heading);
  const blocks = parts.get(heading) ?? [];
  expect(blocks, `${heading} has no lines`).not.toEqual([]);
  for (const block of blocks) {
    const text = `${block.lines.join('\n')}\n`;
    if (block.language === 'bird') writeFileSync(join(box.root, 'etc/bird/bird.conf'), text);
    else if (block.language === 'ini') await edit(box, text);
    else for (const line of shellLines(block)) if (!isBuild(line)) await type(box, `cd ${cwd} && ${line}`);
  }
}

/** systemctl wants a terminal. */
async function edit(box: Container, text: string): Promise<void> {
  writeFileSync(join(box.root, 'root/drop-in'), text);
  await box.sh(`script -qec 'systemctl edit causeway' /dev/null`);
}

async function type(box: Container, line: string): Promise<void> {
  // Watches until it is interrupted.
  const ends = line.replace(/(causeway .*--watch)/, 'timeout --foreground --preserve-status -s INT 5 $1');
  const { code, text } = await box.tryTo(ends);
  // The doctor may find something.
  const most = line.includes('causeway doctor') ? 1 : 0;
  expect(code, `${line}\n${text}`).toBeLessThanOrEqual(most);
}

async function boot(suite: string): Promise<Container> {
  const tree = execFileSync('bash', ['test/full/debian-tree', suite], { encoding: 'utf8' }).trim();
  const box = await bootContainer(tree);
  writeFileSync(join(box.root, 'usr/bin/editor'), editor);
  chmodSync(join(box.root, 'usr/bin/editor'), 0o755);
  writeFileSync(join(box.root, 'etc/apt/apt.conf.d/90nobody'), apt);
  return box;
}

const until = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
  waitUntil(what, isSo, { timeoutMillis: 120_000, everyMillis: 300 });

describe.each(['bookworm', 'trixie'])('on %s', (suite) => {
  let box: Container;

  beforeAll(async () => {
    box = await boot(suite);
    copyFileSync(deb, join(box.root, 'root', basename(deb)));
    // Debian's own bird.conf wants an address of the machine for its router id, and there was none at the boot.
    await box.sh('systemctl reset-failed bird || true');
    for (const [name, carrier] of carriers) {
      writeFileSync(join(box.root, `etc/${name}.conf`), birdOf(carrier));
      for (const line of networkOf(name, carrier)) await box.sh(line);
    }
  }, 900_000);
  afterAll(() => box?.stop(), 120_000);

  const property = async (name: string): Promise<string> =>
    (await box.sh(`systemctl show -P ${name} causeway.service`)).trim();
  const untilStatus = (wanted: RegExp): Promise<true> =>
    until(`the status to be ${String(wanted)}`, async () => wanted.test(await property('StatusText')));
  /** What a carrier has of a prefix. */
  const shown = (name: string, prefix: string): Promise<string> =>
    box.tryTo(`birdc -s /run/${name}.ctl show route ${prefix} all`).then(({ text }) => text);
  const isThere = (text: string): boolean => /\[node[46]/.test(text);

  test('the package, BIRD’s own part, the config', async () => {
    await walk(box, '1. The package');
    await walk(box, "2. BIRD's own part");
    await walk(box, '3. The config');
    expect((await box.sh('stat -c "%a %U %G" /etc/causeway/causeway.yaml')).trim()).toBe('640 root causeway');
    expect(await property('ActiveState')).toBe('inactive');
    expect(await box.sh('birdc show protocols')).toMatch(/kernel2 +Kernel +master6 +up/);
  });

  test('policy routing, which is then as it should be', async () => {
    await walk(box, '4. Policy routing');
    await walk(box, '5. What is still wrong');
  });

  test('observe: it measures all three carriers, and tells them nothing', async () => {
    await walk(box, '6. The first week: observe');
    await untilStatus(/^observe; cmi healthy, pccw healthy, hkbn healthy/);
    for (const [name] of carriers)
      for (const prefix of prefixes) expect(isThere(await shown(name, prefix))).toBe(false);
  });

  test('live: every carrier has every prefix, and the first drain is seen at its carrier', async () => {
    await walk(box, '7. Live');
    for (const [name] of carriers)
      for (const prefix of prefixes)
        await until(`${prefix} at ${name}`, async () => isThere(await shown(name, prefix)));
    await untilStatus(/^live; /);
    await until('hkbn to be drained', async () => /med: 65000/i.test(await shown('hkbn', '203.0.113.0/24')));
    expect(await shown('cmi', '203.0.113.0/24')).toMatch(/med: 100\b/i);
  });

  test('secrets as credentials, whose files are for root alone', async () => {
    for (const [name, secret] of Object.entries({
      'cmi.key': 'a-key',
      'http.token': 'a-token-of-more-than-16',
    }))
      writeFileSync(join(box.root, 'etc/causeway', name), `${secret}\n`, { mode: 0o600 });
    await walk(box, 'Secrets');
    const told = /`(password_file: \S+)`/.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
    await box.sh(`sed -i 's|# password_file: /etc/causeway/cmi.key|${told}|' /etc/causeway/causeway.yaml`);
    await box.sh('systemctl restart causeway');
    await box.sh('causeway render --write');
    expect(await box.sh('cat /etc/bird/causeway/causeway.conf')).toContain('password "a-key"');
    expect(await box.sh('ls /run/credentials/causeway.service')).toBe('cmi.key\nhttp.token');
  });

  test('what starts before BIRD, as docs/readiness.md has it', async () => {
    const lines = blocksOf('docs/readiness.md')
      .filter(({ mark }) => mark !== null)
      .flatMap(shellLines);
    expect(lines).toHaveLength(1);
    for (const line of lines) await type(box, line);
    expect((await box.sh('systemctl is-enabled causeway-boot')).trim()).toBe('enabled');
  });
});

test('without the package, from a checkout', async () => {
  const box = await boot('bookworm');
  try {
    const opt = join(box.root, 'opt/causeway');
    execFileSync('dpkg-deb', ['-x', deb, join(folder, 'tree')]);
    cpSync(join(folder, 'tree/usr/lib/causeway'), opt, { recursive: true });
    cpSync('systemd', join(opt, 'systemd'), { recursive: true });
    await box.sh('mv /opt/causeway/node /usr/bin/node');
    await walk(box, 'Without the package', '/opt/causeway');
    copyFileSync('docs/causeway.example.yaml', join(box.root, 'etc/causeway/causeway.yaml'));
    await box.sh('systemctl start causeway');
    await box.sh('systemctl is-active causeway');
    expect((await box.sh('cat /proc/sys/net/ipv4/ping_group_range')).trim()).toBe('0\t2147483647');
    expect((await box.sh('stat -c "%a %U %G" /etc/bird/causeway')).trim()).toBe('2770 causeway bird');
  } finally {
    await box.stop();
  }
}, 600_000);

test('each part of the page that has lines is walked, and the short way of README.md is in them', () => {
  const withLines = [...parts].filter(([, blocks]) => blocks.some(({ language }) => language !== 'text'));
  expect([...walked].toSorted()).toEqual(withLines.map(([heading]) => heading).toSorted());
  const lines = new Set(blocksOf(page).flatMap(shellLines).map(bare));
  const short = blocksOf('README.md')
    .filter(({ mark }) => mark !== null)
    .flatMap(shellLines)
    .map(bare);
  expect(short.length).toBeGreaterThan(5);
  expect(short.filter((line) => !lines.has(line))).toEqual([]);
});
