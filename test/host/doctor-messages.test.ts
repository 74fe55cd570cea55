/**
 * Every message of `causeway doctor` is provoked once: here on a machine of its own (namespaces, a real BIRD), and what a
 * namespace cannot have, by the tests that the last one here names; it compares all of them with the registry.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inside } from '../../lab/network/inside.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openHistory } from '../../src/daemon/history.ts';
import type { Examined } from '../../src/host/doctor.ts';
import { findingCodes } from '../../src/host/finding-codes.ts';
import { ipScript } from '../../src/host/routing-text.ts';
import { routingPlan } from '../../src/host/routing.ts';
import { instant } from '../../src/types/units.ts';
import { createHostNetwork, type HostNetwork } from '../support/host-network.ts';

const program = join(import.meta.dirname, '../../bin/causeway');
const soon = { timeout: 30_000, interval: 50 };

let network: HostNetwork;
let folder: string;
let bird: ReturnType<typeof startBird> | null = null;
const provoked = new Set<string>();

beforeAll(async () => {
  network = await createHostNetwork();
  // The first target stands right behind both links.
  await network.far('link', 'set', 'lo', 'up');
  await network.far('addr', 'add', '198.51.100.10/32', 'dev', 'lo');
  await network.far('addr', 'add', '2001:db8:62::10/128', 'dev', 'lo', 'nodad');
  folder = await mkdtemp(join(tmpdir(), 'causeway-messages-'));
  for (const name of ['state', 'owned', 'bin']) await mkdir(join(folder, name));
  await chmod(join(folder, 'state'), 0o777);
  await chmod(join(folder, 'owned'), 0o777);
  await answerAs('timedatectl', 'yes');
  await answerAs('systemctl', unitText({}));
});

afterAll(async () => {
  await stopBird();
  await network.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Changes {
  readonly replace?: readonly (readonly [string | RegExp, string])[];
  readonly add?: string;
}

async function configWith({ replace = [], add = '' }: Changes): Promise<string> {
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
  const whole = `mode: live
node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
bird: { socket: ${folder}/bird.ctl, config: ${folder}/owned/causeway.conf, layout: whole }
services:
  web: { prefixes: [203.0.113.0/24, "2001:db8:a::/48"] }
uplinks:${uplink('cmi', 1)}${uplink('pccw', 2)}
paths: { state: ${folder}/state, control: ${folder}/control.sock }
${add}
`;
  const text = replace.reduce((made, [from, to]) => made.replaceAll(from, to), whole);
  const file = join(folder, 'causeway.yaml');
  await writeFile(file, text);
  return file;
}

/** A program in front of the machine's own, which says this. */
async function answerAs(name: string, text: string, exitCode = 0): Promise<void> {
  const script = `#!/bin/sh\ncat <<'END'\n${text}\nEND\nexit ${exitCode}\n`;
  await writeFile(join(folder, 'bin', name), script, { mode: 0o755 });
}

function unitText(more: Readonly<Record<string, string>>): string {
  const unit = {
    LoadState: 'loaded',
    ActiveState: 'active',
    UnitFileState: 'enabled',
    Result: 'success',
    NRestarts: '0',
    WatchdogUSec: '10s',
    LimitNOFILE: '65536',
    MemoryMax: 'infinity',
    ...more,
  };
  return Object.entries(unit)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');
}

function startBird(file: string, socket = 'bird.ctl') {
  const args = ['-f', '-c', file, '-s', join(folder, socket), '-P', join(folder, 'bird.pid')];
  return execa('ip', inside(network.node, ['bird', ...args]), { reject: false });
}

async function stopBird(): Promise<void> {
  bird?.kill('SIGTERM');
  await bird;
  bird = null;
}

/** The node as its own printed commands and the rendered file make it. */
async function makeSound(): Promise<void> {
  const loaded = await loadConfig(await configWith({}));
  if (loaded.kind === 'bad') throw new Error(loaded.problems.map(({ text }) => text).join('\n'));
  await network.shell(ipScript(routingPlan(loaded.config), { withRoutes: true }));
  const file = join(folder, 'owned', 'causeway.conf');
  await writeFile(file, renderConfig(loaded.config, new Map()), { mode: 0o644 });
  if (bird !== null) return;
  bird = startBird(file);
  await vi.waitFor(() => execa('birdc', ['-s', join(folder, 'bird.ctl'), 'show', 'status']), soon);
}

async function doctor(changes: Changes = {}, words: readonly string[] = []): Promise<readonly Examined[]> {
  const file = await configWith(changes);
  const path = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  const argv = ['env', `PATH=${path}`, process.execPath, program, 'doctor', '--json', '-c', file, ...words];
  const { stdout, stderr } = await execa('ip', inside(network.node, argv), { reject: false });
  if (stdout === '') throw new Error(stderr);
  const { findings }: { findings: readonly Examined[] } = JSON.parse(stdout);
  for (const code of codesIn(findings)) provoked.add(code);
  return findings;
}

function codesIn(findings: readonly Examined[]): readonly string[] {
  return findings.flatMap((one) => ('code' in one.finding ? [one.finding.code] : []));
}

/** What a machine in a namespace has in any case: no daemon, and neighbours that speak no BGP. */
const always = ['session-down', 'daemon-down'];

async function codesWith(changes: Changes, words?: readonly string[]): Promise<readonly string[]> {
  return codesIn(await doctor(changes, words)).filter((code) => !always.includes(code));
}

test('a node set up by the printed commands has nothing but a daemon that is not started, and silent neighbours', async () => {
  await makeSound();
  const findings = await doctor();
  expect(codesIn(findings).toSorted()).toEqual(always.toSorted());
  const probes = findings.filter(({ id }) => id.startsWith('probe.'));
  expect(probes.map(({ finding }) => finding.kind)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('what is wrong with config, secrets and the owned file', async () => {
  await makeSound();
  expect(await codesWith({ replace: [['asn: 65001', 'asn: 0']] })).toEqual(['config-bad']);
  const secret = join(folder, 'cmi.key');
  const withSecret = { replace: [[/asn: 3491,/g, `asn: 3491, password_file: ${secret},`]] } as const;
  expect(await codesWith(withSecret)).toContain('secret-missing');
  await writeFile(secret, 'x');
  await chmod(secret, 0o644);
  expect(await codesWith(withSecret)).toContain('secret-open');
  const owned = join(folder, 'owned', 'causeway.conf');
  const text = await readFile(owned, 'utf8');
  await writeFile(owned, `${text.slice(0, 900)}\n`);
  expect(await codesWith({})).toContain('file-foreign');
  await rm(owned);
  expect(await codesWith({})).toContain('file-missing');
  await writeFile(owned, text);
  expect(await codesWith({ replace: [['prefixes: [203', 'prefixes: [192.0.2.128/25, 203']] })).toContain(
    'base-waits',
  );
});

test('what is wrong with BIRD: socket, rights, version, base, sessions of other names', async () => {
  await makeSound();
  const owned = join(folder, 'owned', 'causeway.conf');
  const text = await readFile(owned, 'utf8');
  // BIRD runs what the file was before.
  await writeFile(owned, text.replace(/^define CAUSEWAY_BASE = \d+/m, 'define CAUSEWAY_BASE = 7'));
  expect(await codesWith({})).toContain('base-differs');
  await writeFile(owned, text.replaceAll('announce_cmi_web4', 'other_cmi_web4'));
  await execa('birdc', ['-s', join(folder, 'bird.ctl'), 'configure']);
  expect(await codesWith({})).toContain('protocols-missing');
  const adopt = { replace: [['layout: whole', 'layout: include, adopt: { cmi4: nobody }']] } as const;
  expect(await codesWith({ replace: [...adopt.replace, ['mode: live', 'mode: observe']] })).toContain(
    'adopt-missing',
  );
  await writeFile(owned, text);
  await execa('birdc', ['-s', join(folder, 'bird.ctl'), 'configure']);
  await stopBird();
  expect(await codesWith({})).toContain('bird-unreachable');
});

test('what is wrong with links, addresses, routing and the kernel', async () => {
  await makeSound();
  const leftover = 'ip rule add pref 20007 from 203.0.113.0/24 lookup 2009';
  await network.shell(leftover);
  await network.shell(
    'ip rule del pref 10003; sysctl -qw net.ipv4.conf.eth1.rp_filter=1 net.ipv4.conf.all.rp_filter=1',
  );
  await network.shell('sysctl -qw net.ipv4.ping_group_range="1 0"');
  const found = await doctor();
  const left = found.find(({ id }) => id === 'routing.leftover')?.finding;
  expect(codesIn(found)).toEqual(
    expect.arrayContaining(['rules-left', 'rules-missing', 'rp-filter', 'ping-group']),
  );
  // Its own words put it right.
  if (left === undefined || !('mend' in left)) throw new Error('rules-left is not found');
  await network.shell(left.mend);
  expect((await network.near('rule')).stdout).not.toContain('20007');
  await network.shell('sysctl -qw net.ipv4.ping_group_range="0 2147483647" net.ipv4.conf.all.rp_filter=0');
  await network.shell('ip rule del pref 10002');
  await network.near('addr', 'del', '192.0.2.6/30', 'dev', 'eth1');
  const broken = await codesWith({ replace: [['interface: eth2', 'interface: eth9']] });
  expect(broken).toEqual(expect.arrayContaining(['interface-missing', 'source-missing']));
  await network.near('addr', 'add', '192.0.2.6/30', 'dev', 'eth1');
  expect(await codesWith({})).toContain('route-wrong');
  await network.far('link', 'set', 'far2', 'down');
  expect(await codesWith({})).toContain('interface-down');
  await network.far('link', 'set', 'far2', 'up');
  await network.far('addr', 'add', '2001:db8:2::1/64', 'dev', 'far2', 'nodad');
  await vi.waitFor(
    async () => expect((await network.near('link', 'show', 'dev', 'eth2')).stdout).toContain('LOWER_UP'),
    soon,
  );
});

test('probes that stay here, and those that nobody answers, seen on the interface’s own counters', async () => {
  await makeSound();
  // Nobody answers for the gateway's address: nothing but neighbour requests leaves.
  await network.far('addr', 'del', '192.0.2.5/30', 'dev', 'far1');
  await network.near('neigh', 'flush', 'dev', 'eth1');
  const stays = await doctor();
  expect(stays.find(({ id }) => id === 'probe.cmi4')?.finding).toMatchObject({ code: 'probe-stays' });
  expect(stays.find(({ id }) => id === 'probe.pccw4')?.finding).toMatchObject({ kind: 'ok' });
  await network.far('addr', 'add', '192.0.2.5/30', 'dev', 'far1');
  await network.near('neigh', 'flush', 'dev', 'eth1');
  await execa('ip', inside(network.other, ['sysctl', '-qw', 'net.ipv4.icmp_echo_ignore_all=1']));
  const silent = await doctor();
  expect(silent.find(({ id }) => id === 'probe.cmi4')?.finding).toMatchObject({ code: 'probe-unanswered' });
  await execa('ip', inside(network.other, ['sysctl', '-qw', 'net.ipv4.icmp_echo_ignore_all=0']));
});

test('what is wrong with programs, clock, unit and disk', async () => {
  await makeSound();
  await answerAs('timedatectl', 'no');
  await answerAs('bird', 'cannot run', 3);
  const unit = async (more: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    await answerAs('systemctl', unitText(more));
    return codesWith({});
  };
  expect(await unit({ ActiveState: 'failed' })).toEqual(
    expect.arrayContaining(['clock-free', 'program-broken', 'unit-failed']),
  );
  expect(await unit({ UnitFileState: 'disabled' })).toContain('unit-off');
  await answerAs('timedatectl', 'yes');
  await rm(join(folder, 'bin', 'bird'));
  await answerAs('systemctl', unitText({}));
  const state = join(folder, 'state');
  expect(await codesWith({ replace: [[`state: ${state}`, `state: ${folder}/none`]] })).toContain(
    'state-missing',
  );
  await stepsInTheHistory(state);
  expect(await codesWith({})).toContain('clock-stepped');
  await rm(join(state, 'history'), { recursive: true });
  const small = join(folder, 'small');
  await mkdir(small);
  const onSmall = { replace: [[`state: ${state}`, `state: ${small}`]] } as const;
  const mounted = async (options: string): Promise<readonly string[]> => {
    await execa('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', small]);
    try {
      return await codesWith(onSmall);
    } finally {
      await execa('umount', [small]);
    }
  };
  expect(await mounted('size=1M')).toContain('disk-full');
  expect(await mounted('size=32M')).toContain('disk-low');
  expect(await mounted('size=128M,nr_inodes=20')).toContain('inodes-low');
  expect(await mounted('size=128M,ro')).toContain('disk-read-only');
});

/** The wall clock was put forward by an hour between two entries, while the monotonic one went on. */
async function stepsInTheHistory(state: string): Promise<void> {
  let wallMillis = Date.now() - 7_200_000;
  let monotonic = 1000;
  const history = await openHistory({
    folder: join(state, 'history'),
    bootId: 'b',
    now: () => instant(monotonic),
    wallTime: () => new Date(wallMillis).toISOString(),
  });
  const entry = { kind: 'alarm', event: 'raised', author: 'causeway', reason: 'rate', text: 'x' } as const;
  history.tell(entry);
  wallMillis += 3_600_000;
  monotonic += 1000;
  history.tell(entry);
  await history.close();
}

test('readiness, and the boot unit', async () => {
  await makeSound();
  await answerAs('systemctl', unitText({}), 1);
  const ready = (check: string) =>
    ({
      replace: [[/web: \{ (prefixes: [^\n]*) \}$/gm, `web: { $1, ready: ${check} }`]],
      add: 'on_boot: hold',
    }) as const;
  const failing = await codesWith(ready('{ tcp: "127.0.0.1:1" }'));
  expect(failing).toEqual(expect.arrayContaining(['ready-failing', 'boot-unit']));
  const long = `/${'x'.repeat(300)}`;
  expect(await codesWith(ready(`{ file: "${long}" }`))).toContain('ready-unknown');
  await answerAs('systemctl', unitText({}));
});

test('every code of the registry is provoked, here or by a test that is named', async () => {
  const others = [
    'unit/doctor-judges',
    'unit/doctor-bird',
    'unit/doctor-compare',
    'contract/doctor-companions',
  ];
  const texts = await Promise.all(
    others.map((name) => readFile(join(import.meta.dirname, '..', `${name}.test.ts`), 'utf8')),
  );
  const elsewhere = texts.flatMap((text) =>
    [...text.matchAll(/'([a-z]+(?:-[a-z]+)+)'/g)].map(([, code = '']) => code),
  );
  const known = Object.keys(findingCodes);
  expect(known.filter((code) => !provoked.has(code) && !elsewhere.includes(code))).toEqual([]);
});
