/** `causeway doctor` as an operator runs it: built, in a namespace with a real BIRD; each fault is made and named. */
import { inside } from '../../lab/network/inside.ts';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { renderConfig } from '../../bird/render/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Examined } from '../../src/host/doctor.ts';
import { ipScript } from '../../src/host/routing-text.ts';
import { routingPlan } from '../../src/host/routing.ts';
import { createHostNetwork, type HostNetwork } from '../support/host-network.ts';

const root = join(import.meta.dirname, '../..');
const soon = { timeout: 20_000, interval: 50 };
let built: string;
let network: HostNetwork;
let folder: string;
let config: string;
let bird: ReturnType<typeof startBird> | null = null;

beforeAll(async () => {
  // Inside the package, so that the built files find its dependencies.
  await mkdir(join(root, '.cache'), { recursive: true });
  built = await mkdtemp(join(root, '.cache', 'doctor-'));
  await execa('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', built], {
    cwd: root,
    reject: false,
  });
  await writeFile(
    join(built, 'cli.mjs'),
    `import { Command } from 'commander';
    import { registerDoctor } from './src/cli/doctor.js';
    import { registerRouting } from './src/cli/routing.js';
    import { processOutput } from './src/cli/exit.js';
    const program = new Command('causeway');
    registerDoctor(program, processOutput());
    registerRouting(program, processOutput());
    await program.parseAsync();`,
  );
  await writeFile(
    join(built, 'watch.mjs'),
    "import { watchLinks } from './src/host/links.js';\nwatchLinks({ onChange: () => {}, onTrouble: () => {} });\n",
  );
});

afterAll(() => rm(built, { recursive: true, force: true }));

beforeEach(async () => {
  network = await createHostNetwork();
  folder = await mkdtemp(join(tmpdir(), 'causeway-doctor-'));
  config = join(folder, 'causeway.yaml');
  await writeFile(config, configText());
});

afterEach(async () => {
  if (bird !== null) {
    bird.kill('SIGTERM');
    await bird;
  }
  bird = null;
  await network.remove();
  await rm(folder, { recursive: true, force: true });
});

function configText(): string {
  const uplink = (name: string, n: number): string => `
  ${name}:
    carrier: ${name}
    interface: eth${n}
    source: [192.0.2.${4 * n + 2}, "2001:db8:${n}::2"]
    peer: { asn: ${3490 + n}, address: [192.0.2.${4 * n + 1}, "2001:db8:${n}::1"] }
    targets:
      - { name: jkt-1, region: ID, ping: [198.51.100.10, "2001:db8:62::10"] }
      - { name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:62::11"] }
      - { name: jkt-3, region: ID, ping: [198.51.100.12, "2001:db8:62::12"] }`;
  return `mode: live
node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
bird: { socket: ${folder}/bird.ctl, config: ${folder}/causeway.conf, layout: whole }
services:
  web: { prefixes: [203.0.113.0/24, "2001:db8:a::/48"] }
uplinks:${uplink('cmi', 1)}${uplink('pccw', 2)}
paths: { state: ${folder}/state, control: ${folder}/control.sock }
`;
}

/** The kernel settings, rules and routes that `causeway routing --with-routes` prints, and a BIRD with the rendered file. */
async function makeSound(): Promise<void> {
  const loaded = await loadConfig(config);
  if (loaded.kind === 'bad') throw new Error(loaded.problems.map(({ text }) => text).join('\n'));
  await network.shell(ipScript(routingPlan(loaded.config), { withRoutes: true }));
  const file = join(folder, 'causeway.conf');
  await writeFile(file, renderConfig(loaded.config, new Map()));
  const control = join(folder, 'bird.ctl');
  bird = startBird(file, control);
  await vi.waitFor(() => execa('birdc', ['-s', control, 'show', 'status']), soon);
}

function startBird(file: string, control: string) {
  const args = ['-f', '-c', file, '-s', control, '-P', join(folder, 'bird.pid')];
  return execa('ip', inside(network.node, ['bird', ...args]), { reject: false });
}

/** A subcommand in the node's namespace, with the config. */
function causeway(...words: readonly string[]) {
  const file = join(built, 'cli.mjs');
  const args = inside(network.node, [process.execPath, file, ...words, '-c', config]);
  return execa('ip', args, { reject: false });
}

async function doctor(): Promise<readonly Examined[]> {
  const { stdout, exitCode } = await causeway('doctor', '--json');
  const answer: { ok: boolean; findings: readonly Examined[] } = JSON.parse(stdout);
  expect(answer.ok).toBe(answer.findings.every(({ finding }) => finding.kind !== 'wrong'));
  expect(exitCode).toBe(answer.ok ? 0 : 1);
  return answer.findings;
}

/** What test/host/doctor-messages.test.ts is about: a namespace has no daemon, clock or disk of its own. */
const elsewhere = /^(disk|clock|unit|daemon|probe|bird\.(sessions|base|config))/;

function unsound(findings: readonly Examined[]): readonly string[] {
  return findings
    .filter(({ id }) => !elsewhere.test(id))
    .flatMap(({ id, finding }) =>
      finding.kind === 'wrong' || finding.kind === 'warning' ? [`${finding.kind} ${id}`] : [],
    );
}

function findingOf(findings: readonly Examined[], id: string): Examined['finding'] | undefined {
  return findings.find((each) => each.id === id)?.finding;
}

test('on a bare machine everything is named, and what cannot be looked at is no finding of its own', async () => {
  const bare = configText().replaceAll('eth2', 'eth9');
  await writeFile(config, bare);
  await network.shell('sysctl -qw net.ipv4.ping_group_range="1 0"');
  const findings = await doctor();
  expect(unsound(findings)).toEqual([
    'wrong bird.socket',
    'wrong bird.file',
    'wrong routing.cmi4',
    'wrong routing.cmi6',
    'wrong interface.pccw',
    'wrong ping-group-range',
  ]);
  expect(findingOf(findings, 'bird.socket')).toMatchObject({ what: expect.stringContaining('ENOENT') });
  expect(findingOf(findings, 'routing.pccw4')).toMatchObject({ kind: 'skipped' });
  expect(findingOf(findings, 'bird.protocols')).toMatchObject({ kind: 'skipped' });
});

interface Fault {
  readonly make: string;
  readonly id: string;
  readonly what: string;
}

const faults: readonly Fault[] = [
  { make: 'ip rule del pref 10002; ip rule del pref 10003', id: 'routing.pccw4', what: 'route-missing' },
  {
    // `all` counts as much as the interface's own value.
    make: 'sysctl -qw net.ipv4.conf.all.rp_filter=1 net.ipv4.conf.eth1.rp_filter=0 net.ipv4.conf.eth2.rp_filter=2',
    id: 'rp-filter.cmi',
    what: 'strict',
  },
  { make: 'sysctl -qw net.ipv4.ping_group_range="1 0"', id: 'ping-group-range', what: '"1 0"' },
];

test('a node set up by the printed commands is sound; each fault is found, and mended by the command that is named', async () => {
  await makeSound();
  const sound = await doctor();
  expect(unsound(sound)).toEqual([]);
  expect(sound.length).toBeGreaterThan(15);
  for (const { make } of faults) await network.shell(make);
  const findings = await doctor();
  expect(unsound(findings).toSorted()).toEqual(faults.map(({ id }) => `wrong ${id}`).toSorted());
  for (const { id, what } of faults) {
    const finding = findingOf(findings, id);
    if (finding?.kind !== 'wrong') throw new Error(`${id} is not wrong`);
    expect(finding.what).toContain(what);
    await network.shell(finding.mend);
  }
  expect(unsound(await doctor())).toEqual([]);
});

test('protocols that BIRD does not have are named, and a file that is empty is none', async () => {
  await makeSound();
  const file = join(folder, 'causeway.conf');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll('announce_cmi_web4', 'other_cmi_web4'));
  await execa('birdc', ['-s', join(folder, 'bird.ctl'), 'configure']);
  const renamed = await doctor();
  expect(unsound(renamed)).toEqual(['wrong bird.protocols']);
  expect(findingOf(renamed, 'bird.protocols')).toMatchObject({
    what: expect.stringContaining('announce_cmi_web4'),
  });
  await writeFile(file, '');
  expect(unsound(await doctor())).toEqual(['wrong bird.file', 'wrong bird.protocols']);
});

test('a socket that nobody listens on any more is told apart from a missing one', async () => {
  await makeSound();
  bird?.kill('SIGKILL');
  await bird;
  bird = null;
  const finding = findingOf(await doctor(), 'bird.socket');
  expect(finding).toMatchObject({ kind: 'wrong', mend: expect.stringContaining('restart bird') });
});

test('a config that does not load is the only finding, with its line', async () => {
  await writeFile(config, configText().replace('asn: 65001', 'asn: 0'));
  const findings = await doctor();
  expect(findings.map(({ id }) => id)).toEqual(['config']);
  expect(findings[0]?.finding).toMatchObject({
    kind: 'wrong',
    what: expect.stringMatching(/causeway\.yaml:2:\d+/),
  });
});

test('routing --check says no, its own commands are run, and it says yes', async () => {
  const before = await causeway('routing', '--check');
  expect(before.exitCode).toBe(1);
  expect(before.stdout).toContain('wrong    cmi IPv4: route-missing');
  const printed = await causeway('routing', '--with-routes');
  await network.shell(printed.stdout);
  const after = await causeway('routing', '--check');
  expect({ exitCode: after.exitCode, stdout: after.stdout }).toEqual({
    exitCode: 0,
    stdout: 'ok       cmi IPv4\nok       cmi IPv6\nok       pccw IPv4\nok       pccw IPv6',
  });
  await network.near('rule', 'del', 'pref', '10001');
  const missing = await causeway('routing', '--check', '--json');
  expect(missing.exitCode).toBe(1);
  expect(JSON.parse(missing.stdout)).toMatchObject({ ok: false });
});

test('a finding reads as what, why and mend', async () => {
  const { stdout, exitCode } = await causeway('doctor');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^wrong {4}BIRD's control socket: .*ENOENT[^]*?\n {9}why: {2}\S.*\n {9}mend: \S/m);
  expect(stdout).toMatch(/\d+ ok, \d+ warnings, \d+ wrong, \d+ not looked at$/);
  expect(stdout).not.toContain('\u001B');
});

test('a daemon that is killed leaves no monitor behind', async () => {
  // Nothing may happen to the links meanwhile: an event would end a monitor that nobody reads, by SIGPIPE.
  await vi.waitFor(async () => expect((await network.near('addr')).stdout).not.toContain('tentative'), soon);
  const daemon = execa('ip', inside(network.node, [process.execPath, join(built, 'watch.mjs')]), {
    reject: false,
  });
  await vi.waitFor(async () => expect(await network.monitors()).toHaveLength(1), soon);
  daemon.kill('SIGKILL');
  await daemon;
  await vi.waitFor(async () => expect(await network.monitors()).toEqual([]), soon);
});
