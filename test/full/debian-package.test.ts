/**
 * The package as a user meets it, in a booted Debian: install, first start, life under systemd, upgrade, removal. A carrier
 * with a BIRD of its own, in a network namespace of the container, counts the UPDATEs.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { waitUntil } from '../../lab/network/wait.ts';
import { buildPackage } from '../support/built-package.ts';
import { bootContainer, type Container } from '../support/container.ts';

const folder = mkdtempSync(join(tmpdir(), 'causeway-package-'));
let first = '';
let second = '';

beforeAll(() => {
  first = buildPackage(folder);
  second = nextVersion(first);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same package with a higher number, packed quickly. */
function nextVersion(file: string): string {
  const tree = join(folder, 'tree');
  const next = join(folder, 'causeway_next.deb');
  execFileSync('dpkg-deb', ['-R', file, tree]);
  execFileSync('sed', ['-i', 's/^Version: .*/&+next/', join(tree, 'DEBIAN/control')]);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '-b', tree, next], { stdio: 'ignore' });
  return next;
}

/** The node's config: one carrier, three targets behind it. */
function config(changes: Readonly<Record<string, unknown>> = {}): string {
  const target = (last: number) => ({ name: `t${last}`, region: 'ID', ping: `198.51.100.${last}` });
  return stringify({
    mode: 'live',
    node: { name: 'hk1', site: 'hkg', asn: 65001, router_id: '10.255.0.1' },
    services: { web: { prefixes: ['203.0.113.0/24'] } },
    uplinks: {
      cmi: {
        carrier: 'cmi',
        interface: 'eth1',
        source: '192.0.2.2',
        peer: { asn: 58453, address: '192.0.2.1' },
        targets: [target(1), target(2), target(3)],
      },
    },
    ...changes,
  });
}

const birdConf = `log syslog all;
router id 10.255.0.1;
protocol device {}
protocol kernel { ipv4 { export all; import none; }; }
`;

const carrierConf = `log stderr all;
router id 192.0.2.1;
protocol device {}
protocol static { ipv4; route 0.0.0.0/0 unreachable; }
protocol bgp node {
  local 192.0.2.1 as 58453;
  neighbor 192.0.2.2 as 65001;
  ipv4 { import all; export all; };
}
`;

const network = [
  'ip netns add carrier',
  'ip link add eth1 type veth peer name eth0 netns carrier',
  'ip addr add 192.0.2.2/30 dev eth1',
  'ip link set eth1 up',
  'ip -n carrier link set lo up',
  'ip -n carrier link set eth0 up',
  'ip -n carrier addr add 192.0.2.1/30 dev eth0',
  ...[1, 2, 3].map((last) => `ip -n carrier addr add 198.51.100.${last}/32 dev lo`),
  'systemd-run -q --unit=carrier ip netns exec carrier bird -f -c /etc/carrier.conf -s /run/carrier.ctl',
];

const service = 'causeway.service';

describe.each(['bookworm', 'trixie'])('on %s', (suite) => {
  let box: Container;
  let birdPid = '';

  beforeAll(async () => {
    const tree = execFileSync('bash', ['test/full/debian-tree', suite], { encoding: 'utf8' }).trim();
    box = await bootContainer(tree);
    write('etc/bird/bird.conf', birdConf);
    write('etc/carrier.conf', carrierConf);
    for (const line of network) await box.sh(line);
    await box.sh(
      'chown bird:bird /etc/bird/bird.conf && systemctl reset-failed bird; systemctl restart bird',
    );
    birdPid = await property('MainPID', 'bird.service');
  }, 900_000);
  afterAll(() => box?.stop(), 120_000);

  const write = (path: string, text: string): void => writeFileSync(join(box.root, path), text);
  const property = async (name: string, unit = service): Promise<string> =>
    (await box.sh(`systemctl show -P ${name} ${unit}`)).trim();
  const journal = (unit = service): Promise<string> => box.sh(`journalctl --no-pager -o cat -u ${unit}`);
  const until = (what: string, isSo: () => Promise<boolean>): Promise<true> =>
    waitUntil(what, isSo, { timeoutMillis: 120_000, everyMillis: 300 });
  const untilHealthy = (): Promise<true> =>
    until('the uplink to be healthy', async () => (await property('StatusText')).includes('cmi healthy'));
  const install = async (file: string, how = ''): Promise<string> => {
    copyFileSync(file, join(box.root, 'root', basename(file)));
    return box.sh(`apt-get install -y ${how} --no-install-recommends /root/${basename(file)} </dev/null`);
  };
  /** What the carrier was ever sent. */
  const updates = async (): Promise<string> => {
    const shown = await box.sh('birdc -s /run/carrier.ctl show protocols all node');
    const [line] = shown.match(/Import updates:.*|Import withdraws:.*/g) ?? [];
    if (line === undefined) throw new Error(shown);
    return (shown.match(/(?:Import (?:updates|withdraws): +\d+|BGP state: .*)/g) ?? []).join(', ');
  };
  const announced = async (): Promise<boolean> =>
    (await box.sh('birdc -s /run/carrier.ctl show route 203.0.113.0/24')).includes('203.0.113.0/24');

  test('the package installs without touching BIRD, and neither enables nor starts anything', async () => {
    const before = await box.sh('cat /etc/bird/bird.conf | sha256sum');
    await install(first);
    expect(await property('MainPID', 'bird.service')).toBe(birdPid);
    expect(await box.sh('cat /etc/bird/bird.conf | sha256sum')).toBe(before);
    expect((await box.tryTo(`systemctl is-enabled ${service}`)).text.trim()).toBe('disabled');
    expect((await box.tryTo(`systemctl is-active ${service}`)).text.trim()).toBe('inactive');
    const modes = 'stat -c "%a %U %G" /etc/causeway /var/lib/causeway /etc/bird/causeway /run/causeway-edge';
    const owners = '2750 root causeway\n2750 causeway causeway\n2770 causeway bird\n750 www-data causeway';
    expect((await box.sh(modes)).trim()).toBe(owners);
    expect(await box.sh('id -nG causeway')).toBe('causeway bird');
    expect((await box.sh('cat /proc/sys/net/ipv4/ping_group_range')).trim()).toBe('0\t2147483647');
    await box.sh('causeway check -c /usr/share/causeway/causeway.example.yaml');
    await box.sh('causeway-edge check -c /usr/share/causeway/edge.example.yaml');
  });

  test('it says what it is made of, and has no module that it does not say', async () => {
    const bill = await box.sh('cat /usr/share/doc/causeway/sbom.cdx.json');
    const named = [...bill.matchAll(/"purl": "pkg:npm\/([^"@]+|%40[^"@]+)@/g)].map(([, name = '']) =>
      decodeURIComponent(name),
    );
    expect(named).toContain('fastify');
    const modules = await box.sh(
      'cd /usr/lib/causeway/node_modules && ls -d [!@.]* && ls -d @*/* 2>/dev/null || true',
    );
    expect(
      modules
        .trim()
        .split('\n')
        .filter((name) => !named.includes(name)),
    ).toEqual([]);
  });

  test('systemd finds nothing wrong with the units', async () => {
    const said = await box.tryTo('systemd-analyze verify /usr/lib/systemd/system/causeway*.service');
    // Manual pages may be left out of an image, and man(1) is not there.
    expect(said.text.split('\n').filter((line) => line !== '' && !/'man /.test(line))).toEqual([]);
  });

  test('it is ready only when it is, and no later than its bound when BIRD does not answer', async () => {
    write('etc/causeway/causeway.yaml', config());
    await box.sh(`kill -STOP ${birdPid}`);
    try {
      await box.sh(`systemctl start --no-block ${service}`);
      await until('the first status line', async () =>
        (await property('StatusText')).startsWith('starting; live'),
      );
      expect(await property('ActiveState')).toBe('activating');
      await until('the bound', async () => (await property('ActiveState')) === 'active');
      expect(await property('StatusText')).toContain('BIRD does not answer');
    } finally {
      await box.sh(`kill -CONT ${birdPid}`);
    }
    expect(await journal()).toContain('ready, though not all is there yet');
    await until(
      'BIRD to be seen',
      async () => !(await property('StatusText')).includes('BIRD does not answer'),
    );
  });

  test('with the owned file included and the routing set, the carrier has the prefix', async () => {
    await box.sh('causeway render --write');
    await box.sh('causeway routing | sh');
    await box.sh(`echo 'include "/etc/bird/causeway/causeway.conf";' >> /etc/bird/bird.conf`);
    await box.sh('birdc configure');
    await until('the prefix at the carrier', announced);
    await until('the uplink to be healthy', async () =>
      (await property('StatusText')).startsWith('live; cmi healthy; 1 of 1 announced'),
    );
    // A start with everything there is ready by itself, and says so when it is.
    await box.sh(`systemctl restart ${service}`);
    expect(await property('ActiveState')).toBe('active');
    expect((await journal()).match(/"msg":"ready"/g)).toHaveLength(1);
  });

  test('it runs without root and without a capability, and so do its children', async () => {
    const main = await property('MainPID');
    const children = await box.sh(`ps -o pid= --ppid ${main}`);
    const pids = [main, ...children.trim().split(/\s+/)];
    expect(pids.length).toBeGreaterThanOrEqual(2);
    const fields = await box.sh(
      `for pid in ${pids.join(' ')}; do grep -hE '^(Uid|Cap...|NoNewPrivs):' /proc/$pid/status; done`,
    );
    const uid = (await box.sh('id -u causeway')).trim();
    for (const line of fields.trim().split('\n')) {
      const [name = '', ...values] = line.split(/\s+/);
      if (name === 'Uid:') expect(new Set(values)).toEqual(new Set([uid]));
      else if (name === 'NoNewPrivs:') expect(values).toEqual(['1']);
      else expect({ [name]: values }).toEqual({ [name]: ['0000000000000000'] });
    }
  });

  test('systemd-analyze security says 2.0 or less', async () => {
    for (const unit of [service, 'causeway-geodns.service']) {
      const line = (await box.sh(`systemd-analyze security --no-pager ${unit} | tail -1`)).trim();
      const [, exposure = 'NaN'] = /: ([0-9.]+) /.exec(line) ?? [];
      expect(Number(exposure)).toBeLessThanOrEqual(2);
    }
  });

  test('a stopped daemon is found by the watchdog and started again; the carrier sees no UPDATE', async () => {
    const before = await updates();
    const restarts = Number(await property('NRestarts'));
    const pid = await property('MainPID');
    await box.sh(`kill -STOP ${pid}`);
    await until('the restart', async () => Number(await property('NRestarts')) === restarts + 1);
    await until('the next start', async () => (await property('ActiveState')) === 'active');
    expect(await property('MainPID')).not.toBe(pid);
    expect(await journal()).toMatch(/Watchdog timeout/);
    await untilHealthy();
    expect(await updates()).toBe(before);
  });

  test('kill -9 and systemctl restart send no UPDATE either', async () => {
    const before = await updates();
    const pid = await property('MainPID');
    await box.sh(`kill -KILL ${pid}`);
    await until('the next daemon', async () => !['0', pid].includes(await property('MainPID')));
    await until('it to be ready', async () => (await property('ActiveState')) === 'active');
    await box.sh(`systemctl restart ${service}`);
    await untilHealthy();
    expect(await updates()).toBe(before);
  });

  test('a reload of a bad file fails with the place in the journal, and the running config stays', async () => {
    const before = await updates();
    const pid = await property('MainPID');
    write('etc/causeway/causeway.yaml', config({ guards: { keep_uplinks: 'many' } }));
    expect((await box.tryTo(`systemctl reload ${service}`)).code).not.toBe(0);
    expect(await journal()).toMatch(/\/etc\/causeway\/causeway\.yaml:\d+:\d+: guards\.keep_uplinks/);
    await until('the alarm', async () => (await property('StatusText')).includes('reload-refused'));
    expect([await property('ActiveState'), await property('MainPID')]).toEqual(['active', pid]);
    write('etc/causeway/causeway.yaml', config({ on_stop: { do: 'drain', deadline: '30s' } }));
    await box.sh(`systemctl reload ${service}`);
    await until('the alarm to end', async () => !(await property('StatusText')).includes('reload-refused'));
    expect(await updates()).toBe(before);
  });

  test('SIGHUP is seen as a reload and ends', async () => {
    await box.sh(`kill -HUP ${await property('MainPID')}`);
    await until('the reload', async () => /"author":"SIGHUP"/.test(await journal()));
    await until('its end', async () => (await property('ActiveState')) === 'active');
  });

  test('an upgrade goes on with the new program and sends no UPDATE, although on_stop says drain', async () => {
    write('etc/causeway/causeway.yaml', config({ on_stop: { do: 'drain', deadline: '30s' } }));
    await box.sh(`systemctl reload ${service}`);
    const before = await updates();
    const pid = await property('MainPID');
    await install(second);
    expect(await property('ActiveState')).toBe('active');
    expect(await property('MainPID')).not.toBe(pid);
    expect((await box.sh('dpkg-query -W causeway')).trim()).toMatch(/\+next$/);
    expect(await property('MainPID', 'bird.service')).toBe(birdPid);
    await untilHealthy();
    expect(await updates()).toBe(before);
  });

  test('an upgrade that would not start with the config leaves the old daemon running, and says so', async () => {
    const pid = await property('MainPID');
    write('etc/causeway/causeway.yaml', config({ mode: 'alive' }));
    expect(await install(second, '--reinstall')).toMatch(
      /causeway\.yaml:\d+:\d+: mode.*the old one runs on/s,
    );
    expect([await property('ActiveState'), await property('MainPID')]).toEqual(['active', pid]);
  });

  test('an apply works inside the sandbox: bird -p, a scratch BIRD, configure', async () => {
    const text = config().replace('carrier: cmi', 'carrier: cmi\n    med: 55');
    write('etc/causeway/causeway.yaml', text);
    await box.sh('causeway apply');
    const shown = () => box.sh('birdc -s /run/carrier.ctl show route 203.0.113.0/24 all');
    await until('the new MED', async () => /med: 55/i.test(await shown()));
  });

  test('a secret as a credential of systemd: its file is for root alone', async () => {
    write('etc/causeway/http.token', 'a-token-of-more-than-16\n');
    await box.sh('chmod 600 /etc/causeway/http.token && mkdir -p /etc/systemd/system/causeway.service.d');
    write(
      'etc/systemd/system/causeway.service.d/secrets.conf',
      '[Service]\nLoadCredential=http.token:/etc/causeway/http.token\n',
    );
    write(
      'etc/causeway/causeway.yaml',
      config({
        http: { listen: '127.0.0.1:9180', token_file: '/run/credentials/causeway.service/http.token' },
      }),
    );
    const before = await updates();
    await box.sh(`systemctl daemon-reload && systemctl restart ${service}`);
    const ask = (token: string) =>
      `/usr/lib/causeway/node -e "fetch('http://127.0.0.1:9180/v1/reload', { method: 'POST', body: JSON.stringify({ author: 'me' }), headers: ` +
      `{ 'content-type': 'application/json', authorization: 'Bearer ${token}' } }).then((r) => console.log(r.status))"`;
    expect((await box.sh(ask('a-token-of-more-than-16'))).trim()).toBe('200');
    expect((await box.sh(ask('another-token-of-16'))).trim()).toBe('401');
    expect(await updates()).not.toBe('');
    expect(await updates()).toBe(before);
  });

  test('the boot unit runs as the daemon user and holds what is not ready', async () => {
    const held = { web: { prefixes: ['203.0.113.0/24'], ready: { file: '/nowhere' } } };
    write(
      'etc/causeway/boot.yaml',
      config({ on_boot: 'hold', services: held, bird: { config: '/etc/bird/causeway/boot.conf' } }),
    );
    await box.sh('causeway render --write -c /etc/causeway/boot.yaml');
    await box.sh('mkdir -p /etc/systemd/system/causeway-boot.service.d');
    write(
      'etc/systemd/system/causeway-boot.service.d/other.conf',
      '[Service]\nExecStart=\nExecStart=/usr/bin/causeway boot -c /etc/causeway/boot.yaml\n',
    );
    await box.sh('systemctl daemon-reload && systemctl start causeway-boot.service');
    expect(await property('Result', 'causeway-boot.service')).toBe('success');
    expect(await journal('causeway-boot.service')).toContain('come up down');
    expect((await box.sh('stat -c "%a %U %G" /etc/bird/causeway/boot.conf')).trim()).toBe(
      '640 causeway bird',
    );
  });

  test('a config that is not valid ends the start with its place, and is not tried again', async () => {
    const before = await updates();
    await box.sh(`systemctl stop ${service}`);
    expect(await updates()).toBe(before);
    write('etc/causeway/causeway.yaml', config({ mode: 'alive' }));
    expect((await box.tryTo(`systemctl start ${service}`)).code).not.toBe(0);
    expect(await property('ActiveState')).toBe('failed');
    expect(await property('ExecMainStatus')).toBe('2');
    expect(await journal()).toMatch(/\/etc\/causeway\/causeway\.yaml:\d+:\d+: mode/);
    write('etc/causeway/causeway.yaml', config({ on_stop: { do: 'withdraw' } }));
    await box.sh(`systemctl reset-failed ${service} && systemctl enable --now ${service}`);
    await untilHealthy();
    expect(await updates()).toBe(before);
  });

  test('removal leaves BIRD and its files as they are, although on_stop says withdraw; purge too', async () => {
    write('etc/causeway/causeway.yaml', config({ on_stop: { do: 'withdraw' } }));
    await box.sh(`systemctl restart ${service}`);
    // Until then the words in the owned file may still change.
    await untilHealthy();
    const before = await updates();
    const files = 'cd /etc/bird && find . -type f -exec sha256sum {} + | sort';
    const bird = await box.sh(files);
    await box.sh('apt-get remove -y causeway </dev/null');
    expect(await box.sh(files)).toBe(bird);
    expect((await box.tryTo('pgrep -u causeway')).text).toBe('');
    expect(await box.sh('ls /etc/causeway /var/lib/causeway')).toContain('causeway.yaml');
    await box.sh('apt-get purge -y causeway </dev/null');
    expect(await box.sh(files)).toBe(bird);
    expect((await box.tryTo('ls -d /etc/causeway /var/lib/causeway /usr/lib/causeway')).text).not.toMatch(
      /^\//m,
    );
    expect(await property('MainPID', 'bird.service')).toBe(birdPid);
    expect(await updates()).toBe(before);
    expect(await announced()).toBe(true);
    expect(await box.sh('birdc configure check')).toMatch(/Configuration OK/);
  });
});
