/**
 * A real systemd boots in a container: causeway-boot.service runs before BIRD, once, and the `systemd` check asks about
 * units in every state. The container's root is this machine's own, under an overlay that is thrown away.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { renderConfig } from '../../bird/render/config.ts';
import { run } from '../../lab/network/command.ts';
import { repositoryRoot } from '../../lab/network/process.ts';
import { readConfig } from '../../src/config/read.ts';

const repository = repositoryRoot();
const folder = mkdtempSync(join(tmpdir(), 'causeway-systemd-'));
const root = join(folder, 'root');
const read = (name: string) => readFileSync(join(root, 'report', name), 'utf8');

beforeAll(async () => {
  // On a file system of its own: an overlay's upper folder must not lie in its lower one.
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(folder, name));
  const layers = `lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/work`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, root]);
  prepare();
  const own = ['-q', '-D', root, '--register=no', '--keep-unit', '--private-network'];
  const boot = ['-b', 'systemd.unit=report.target'];
  await run('systemd-nspawn', [...own, `--bind-ro=${repository}`, ...boot], { timeoutMillis: 150_000 });
});

afterAll(() => {
  for (const place of [root, folder]) execFileSync('umount', [place]);
  rmSync(folder, { recursive: true, force: true });
});

/** Files of the container, before it boots. */
function prepare(): void {
  const at = (path: string) => join(root, path);
  for (const path of ['report', 'etc/causeway', 'etc/bird/causeway', 'var/lib/causeway', repository])
    mkdirSync(at(path), { recursive: true });
  const text = configText();
  const loaded = readConfig('causeway.yaml', text);
  if (loaded.kind === 'bad') throw new Error(loaded.problems.map((problem) => problem.text).join('\n'));
  writeFileSync(at('etc/causeway/causeway.yaml'), text);
  // The unit runs as the daemon's user, who is made as the package makes it.
  execFileSync('systemd-sysusers', ['--root', root, join(repository, 'systemd/sysusers.d/causeway.conf')]);
  execFileSync('chroot', [
    root,
    'install',
    '-d',
    '-m',
    '2770',
    '-o',
    'causeway',
    '-g',
    'bird',
    '/etc/bird/causeway',
  ]);
  writeFileSync(at(owned), renderConfig(loaded.config, new Map()));
  rmSync(at('usr/bin/causeway'), { force: true });
  symlinkSync(join(repository, 'bin/causeway'), at('usr/bin/causeway'));
  for (const [name, lines] of Object.entries(units))
    writeFileSync(at(`etc/systemd/system/${name}`), `${lines.join('\n')}\n`);
  writeFileSync(
    at('etc/systemd/system/causeway-boot.service'),
    readFileSync('systemd/causeway-boot.service'),
  );
  execFileSync('systemctl', ['--root', root, 'enable', 'causeway-boot.service'], { stdio: 'ignore' });
  writeFileSync(at('report/go'), script);
  writeFileSync(at('report/ask.mjs'), asking);
}

const owned = 'etc/bird/causeway/causeway.conf';

function configText(): string {
  const target = (last: number) => ({ name: `t${last}`, region: 'ID', ping: `198.51.100.${last}` });
  return stringify({
    mode: 'live',
    node: { name: 'hk1', site: 'hkg', asn: 65001, router_id: '10.255.0.1' },
    bird: { config: `/${owned}`, layout: 'whole' },
    services: {
      web: { prefixes: ['203.0.113.0/24'], ready: { systemd: 'fine.service' } },
      dns: { prefixes: ['198.18.0.0/24'] },
    },
    uplinks: {
      cmi: {
        carrier: 'cmi',
        interface: 'eth1',
        source: '192.0.2.2',
        peer: { asn: 58453, address: '192.0.2.1' },
        targets: [target(1), target(2), target(3)],
      },
    },
    on_boot: 'hold',
  });
}

const sleeping = 'ExecStart=/bin/sleep infinity';
const bird = 'ExecStart=/usr/sbin/bird -f -c /etc/bird/causeway/causeway.conf -s /run/bird/bird.ctl';
const units: Readonly<Record<string, readonly string[]>> = {
  'bird.service': ['[Service]', 'RuntimeDirectory=bird', bird],
  'fine.service': ['[Service]', sleeping],
  'failed.service': ['[Service]', 'ExecStart=/bin/false'],
  'starting.service': ['[Service]', 'Type=notify', sleeping],
  'idle.service': ['[Service]', sleeping],
  'report.target': ['[Unit]', 'Wants=bird.service report.service', 'After=bird.service'],
  'report.service': [
    '[Unit]',
    'After=bird.service',
    '[Service]',
    'Type=oneshot',
    'ExecStart=-/bin/bash /report/go',
    'ExecStopPost=/bin/systemctl exit --force',
  ],
};

/** Runs in the container when BIRD was started. */
const script = `
exec 2>/report/errors
waiting() { for _ in $(seq 300); do "$@" >/dev/null && return; sleep 0.1; done; }
waiting birdc -s /run/bird/bird.ctl show status
birdc -s /run/bird/bird.ctl show protocols all >/report/protocols
systemctl show -p Result -p ExecMainStatus -p ExecMainExitTimestampMonotonic causeway-boot.service >/report/boot
systemctl show -p ExecMainStartTimestampMonotonic bird.service >/report/bird
causeway boot >/report/again
cp /${owned} /report/before
systemctl restart bird.service
systemctl show -p ExecMainExitTimestampMonotonic causeway-boot.service >/report/boot-after
cmp /report/before /${owned} && echo same >/report/file
systemctl start fine.service
systemctl start failed.service
systemctl start --no-block starting.service
waiting systemctl is-failed failed.service
waiting sh -c 'systemctl show -p ActiveState starting.service | grep activating'
node /report/ask.mjs >/report/units
`;

const asking = `
import { checkSystemd } from '${repository}/dist/src/host/ready/systemd.js';
const answers = {};
for (const name of ['fine', 'failed', 'starting', 'idle', 'nobody'])
  answers[name] = await checkSystemd(name + '.service', AbortSignal.timeout(20000));
console.log(JSON.stringify(answers));
`;

function field(file: string, name: string): string {
  const line = read(file)
    .split('\n')
    .find((one) => one.startsWith(`${name}=`));
  if (line === undefined) throw new Error(`${file} has no ${name}: ${read(file)} ${read('errors')}`);
  return line.slice(name.length + 1);
}

describe('a boot with on_boot: hold', () => {
  test('runs the unit before BIRD starts, without failing', () => {
    expect(field('boot', 'Result')).toBe('success');
    expect(field('boot', 'ExecMainStatus')).toBe('0');
    const ended = Number(field('boot', 'ExecMainExitTimestampMonotonic'));
    expect(ended).toBeGreaterThan(0);
    expect(Number(field('bird', 'ExecMainStartTimestampMonotonic'))).toBeGreaterThanOrEqual(ended);
  });

  test('brings the service with a check up withdrawn, and the other one announced', () => {
    const shown = (name: string) =>
      new RegExp(`^${name} .*?Description: +([^\\n]*)`, 'ms').exec(read('protocols'))?.[0] ?? '';
    for (const name of ['announce_cmi_web4', 'drain_cmi_web4']) {
      expect(shown(name)).toMatch(/ down /);
      expect(shown(name)).toContain('withdrawn since the boot until it is ready');
    }
    expect(shown('announce_cmi_dns4')).toMatch(/ up /);
  });

  test('does so once: neither a restart of BIRD nor the command itself does it again', () => {
    expect(read('again')).toBe('this boot was seen to already\n');
    expect(field('boot-after', 'ExecMainExitTimestampMonotonic')).toBe(
      field('boot', 'ExecMainExitTimestampMonotonic'),
    );
    expect(read('file')).toBe('same\n');
  });
});

test('the systemd check tells active, failed, starting, stopped and missing units apart', () => {
  expect(JSON.parse(read('units'))).toEqual({
    fine: { kind: 'pass', text: 'active (running)' },
    failed: { kind: 'fail', text: 'failed (failed)' },
    starting: { kind: 'fail', text: 'activating (start)' },
    idle: { kind: 'fail', text: 'inactive (dead)' },
    nobody: { kind: 'fail', text: 'the unit is not-found' },
  });
});
