/**
 * Each command of the GeoDNS part of docs/runbook.md, in its order, beside a running service with three real PowerDNS: ours
 * answer (0 done, 1 no), those of the system are there and take their options. systemd does not run here, so its commands are
 * carried out on the processes of the test. The configuration lies on a file system that is read-only for the service, as
 * under its unit, and rules and networks in its state folder.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labTokens, writeServiceFiles } from '../../lab/geodns/service.ts';
import { type Stand, startStand } from '../../lab/geodns/stand.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { runbookCommands } from '../support/runbook.ts';

const program = join(import.meta.dirname, '../../bin/causeway-geodns');
const lines = runbookCommands('geodns');

let stand: Stand;
let folder: string;
let service: ChildProcess | null = null;
const etc = (): string => join(folder, 'etc');
const base = (): string => `http://${stand.sites[0].dns.host}:8053`;

beforeAll(async () => {
  stand = await startStand(worldMmdbs());
  folder = mkdtempSync(join(tmpdir(), 'causeway-geodns-runbook-'));
  mkdirSync(etc());
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'state'));
  const written = await writeServiceFiles(stand, `${stand.sites[0].dns.host}:8053`);
  const config = readFileSync(written, 'utf8')
    .replace(/^state: .*$/m, `state: ${join(folder, 'state')}`)
    .replace(/^(rules|networks): .*$/gm, `$1: ${join(folder, 'state')}/$1.yaml`);
  writeFileSync(join(etc(), 'geodns.yaml'), config);
  writeFileSync(join(etc(), 'ops.token'), `${labTokens.ops}\n`);
  for (const name of ['rules.yaml', 'networks.yaml'])
    copyFileSync(join(stand.folder, name), join(folder, 'state', name));
  const wrapped = `exec "${process.execPath}" "${program}" "$@" -c "${join(etc(), 'geodns.yaml')}"`;
  const propose = `case "$1" in propose) exec "${process.execPath}" "${program}" "$@";; esac`;
  writeFileSync(join(folder, 'bin', 'causeway-geodns'), `#!/bin/sh\n${propose}\n${wrapped}\n`, {
    mode: 0o755,
  });
  await start();
});
afterAll(async () => {
  await end();
  await stand?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** In a mount namespace of its own, as systemd starts it: what is not its state is read-only. */
async function start(): Promise<void> {
  const run = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" "$3" run -c "$1/geodns.yaml"`;
  const argv = [
    '-m',
    'setpriv',
    '--pdeathsig',
    'KILL',
    'sh',
    '-c',
    run,
    'sh',
    etc(),
    process.execPath,
    program,
  ];
  service = spawn('unshare', argv, { stdio: 'ignore' });
  await waitUntil(
    'causeway-geodns to be ready',
    () =>
      fetch(`${base()}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    {
      timeoutMillis: 60_000,
    },
  );
}

async function end(): Promise<void> {
  const running = service;
  service = null;
  if (running === null || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill();
  await ended;
}

/** What the operator's editor does where the page says so: the promoted site comes first. */
function promoteInConfig(): void {
  const path = join(etc(), 'geodns.yaml');
  const all = readFileSync(path, 'utf8').split('\n');
  const promoted = all.find((line) => line.includes('name: tyo')) ?? '';
  const others = all.filter((line) => line !== promoted);
  others.splice(others.indexOf('sites:') + 1, 0, promoted);
  writeFileSync(`${path}.new`, others.join('\n'));
  renameSync(`${path}.new`, path);
}

async function systemctl(verb: string, unit: string): Promise<string | null> {
  if (!['status', 'start', 'stop', 'restart', 'reload'].includes(verb)) return `no verb ${verb}`;
  if (unit === 'pdns') {
    await stand.sites[1].kill();
    await stand.sites[1].start();
    return null;
  }
  if (unit !== 'causeway-geodns') return `no unit ${unit}`;
  if (verb === 'stop' || verb === 'restart') await end();
  if (verb === 'start' || verb === 'restart') await start();
  if (verb === 'reload') service?.kill('SIGHUP');
  return null;
}

async function shell(line: string): Promise<{ readonly exitCode: number; readonly said: string }> {
  const { host, port } = stand.sites[1].dns;
  const there = line
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll('/etc/causeway-geodns', etc())
    .replaceAll('/var/lib/causeway-geodns', join(folder, 'state'))
    .replaceAll('/var/lib/geoip', stand.folder)
    .replaceAll('@192.0.2.53', `@${host} -p ${port}`)
    .replaceAll('runuser -u causeway-geodns --', '');
  const done = await execa('sh', ['-c', there], {
    reject: false,
    timeout: 60_000,
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  });
  return { exitCode: done.exitCode ?? -1, said: `${done.stdout}${done.stderr}` };
}

async function trouble(line: string): Promise<string | null> {
  const [name = '', ...words] = line.split(' ');
  if (name === 'systemctl') return systemctl(words[0] ?? '', words[1] ?? '');
  // The node's own commands are those of the other part.
  if (name === 'causeway') return null;
  if (name === 'editor') {
    promoteInConfig();
    return null;
  }
  const { exitCode, said } = await shell(line);
  // A service that was ended by timeout(1) ended as it should.
  const fine = name === 'causeway-geodns' ? [0, 1] : name === 'timeout' ? [0, 124] : null;
  if (fine !== null) return fine.includes(exitCode) ? null : `exit code ${exitCode}: ${said}`;
  return exitCode === 127 || (exitCode === 2 && name !== 'ls') ? `exit code ${exitCode}: ${said}` : null;
}

test('there are many commands', () => {
  expect(lines.length).toBeGreaterThan(30);
});

test.each(lines)('%s', async (line) => {
  expect(await trouble(line)).toBeNull();
});

test('what the page ends with is right: the promoted site is the primary, and no site is behind', async () => {
  await waitUntil(
    'the service to be content',
    async () =>
      (await shell('causeway-geodns status --token-file /etc/causeway-geodns/ops.token')).exitCode === 0,
    { timeoutMillis: 60_000 },
  );
  const { said } = await shell('causeway-geodns status --token-file /etc/causeway-geodns/ops.token');
  expect(said).toMatch(/^site {6}tyo .*: has it\nsite {6}hkg .*: has it$/m);
});

test('a change of rules over the API is written into the state folder, the configuration being read-only', async () => {
  const rules = readFileSync(join(folder, 'state', 'rules.yaml'), 'utf8');
  writeFileSync(join(folder, 'other.yaml'), rules.replace('ttl: 30s', 'ttl: 40s'));
  const apply = 'causeway-geodns apply /tmp/other.yaml --yes --token-file /etc/causeway-geodns/ops.token';
  expect(await shell(apply)).toMatchObject({ exitCode: 0, said: expect.stringContaining('is in force') });
  expect(readFileSync(join(folder, 'state', 'rules.yaml'), 'utf8')).toContain('ttl: 40s');
});

test('a command that is not there, and one that is not taken, are found', async () => {
  expect(await trouble('no-such-program')).toContain('127');
  expect(await trouble('causeway-geodns overide')).toMatch(/exit code/);
  expect(await trouble('causeway-geodns status')).toContain('exit code 2');
  expect(await trouble('systemctl restart nobody')).not.toBeNull();
});
