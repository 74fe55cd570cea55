/**
 * What the config asks of a session and of an announcement, as the carrier and the node's BIRD have it: each supported
 * BIRD that is there against a carrier on the system's BIRD, with MD5, GTSM, roles, BFD, a link-local session, communities
 * of both kinds, the drained twin, and validated origins from a cache.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../../bird/client.ts';
import { parseProtocols } from '../../bird/parse/protocols.ts';
import { renderConfig } from '../../bird/render/config.ts';
import { birdVersions } from '../../lab/bird-versions.ts';
import { inside } from '../../lab/network/inside.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { readConfig } from '../../src/config/read.ts';
import { ipScript } from '../../src/host/routing-text.ts';
import { routingPlan } from '../../src/host/routing.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { createHostNetwork, type HostNetwork } from '../support/host-network.ts';

const patiently = { timeoutMillis: 30_000, everyMillis: 50 };

let network: HostNetwork;
let folder = '';
let carrier: Child | null = null;

const nodeText = `
mode: live
node: { name: hk1, site: hkg, asn: 64999, router_id: 10.255.0.1 }
bird: { layout: whole, rpki: { server: 192.0.2.5, port: 3323 } }
services:
  web:
    prefixes: [203.0.113.0/24, "2001:db8:a::/48"]
    uplinks: { cmi: { med: 50, prepend: 1, communities: ["58453:70", "4200000001:1:2"] } }
    egress: by-source
  dns: { prefixes: [198.51.100.0/24] }
uplinks:
  cmi:
    carrier: cmi
    interface: eth1
    source: [192.0.2.6, "2001:db8:1::2"]
    peer:
      asn: 58453
      address: [192.0.2.5, "fe80::92"]
      password_file: /not/read/here
      ttl_security: true
      hold: 9s
      role: customer
      limits: { import: 100, export: 32 }
      bfd: true
      bfd_interval: 400ms
      bfd_multiplier: 10
    communities: ["58453:100"]
    drain_communities: ["58453:50"]
    targets: &targets
      - { name: a, region: ID, ping: [198.18.0.1, "2001:db8:62::1"] }
      - { name: b, region: ID, ping: [198.18.0.2, "2001:db8:62::2"] }
      - { name: c, region: ID, ping: [198.18.0.3, "2001:db8:62::3"] }
  pccw:
    carrier: pccw
    interface: eth2
    source: [192.0.2.10, "2001:db8:2::2"]
    peer:
      asn: 3491
      address: [192.0.2.9, "2001:db8:2::1"]
      multihop: 3
      enforce_first_as: false
      graceful_restart: off
    gateway: [192.0.2.9, "2001:db8:2::1"]
    import: full
    targets: *targets
`;

/** Both carriers in one BIRD. What it knows of origins: 1.0.0.0/24 is told with a false one. */
const carrierText = `
log "carrier.log" all;
router id 192.0.2.5;
protocol device { scan time 10; }
protocol bfd { interface "far1" { interval 400 ms; multiplier 10; }; }
protocol static default4 { ipv4; route 0.0.0.0/0 blackhole; route 1.0.0.0/24 blackhole; route 1.1.0.0/24 blackhole; }
protocol static default6 { ipv6; route ::/0 blackhole; }
template bgp any { connect delay time 1; connect retry time 1; error wait time 1, 2; }
protocol bgp cmi4 from any { local 192.0.2.5 as 58453; neighbor 192.0.2.6 as 64999; password "s3cret; {odd}";
  ttl security on; local role provider; require roles on; bfd on;
  ipv4 { import all; export where net = 0.0.0.0/0; }; }
protocol bgp cmi6 from any { local as 58453; neighbor fe80::2 as 64999; interface "far1"; password "s3cret; {odd}";
  ttl security on; local role provider; require roles on; bfd on;
  ipv6 { import all; export where source = RTS_STATIC; }; }
protocol bgp pccw4 from any { local 192.0.2.9 as 3491; neighbor 192.0.2.10 as 64999; multihop 3;
  ipv4 { import all; export where source = RTS_STATIC; }; }
protocol bgp pccw6 from any { local 2001:db8:2::1 as 3491; neighbor 2001:db8:2::2 as 64999; multihop 3;
  ipv6 { import all; export where source = RTS_STATIC; }; }
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-session-'));
  network = await createHostNetwork();
  await onlyLinkLocal((...args) => network.near(...args), 'eth1', 'fe80::2');
  await onlyLinkLocal((...args) => network.far(...args), 'far1', 'fe80::92');
  await network.near('addr', 'add', '203.0.113.1/32', 'dev', 'lo');
  await network.shell(ipScript(routingPlan(config()), { withRoutes: false }));
  await writeFile(join(folder, 'carrier.conf'), carrierText.replace('carrier.log', `${folder}/carrier.log`));
  carrier = startBird(network.other, 'bird', 'carrier');
  await answers('carrier');
});

afterAll(async () => {
  carrier?.kill('SIGKILL');
  await carrier;
  await network?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** BIRD takes any link-local address of the interface, so there is to be one. */
async function onlyLinkLocal(ip: HostNetwork['near'], device: string, address: string): Promise<void> {
  await ip('link', 'set', 'dev', device, 'addrgenmode', 'none');
  await ip('-6', 'addr', 'flush', 'dev', device, 'scope', 'link');
  await ip('addr', 'add', `${address}/64`, 'dev', device, 'nodad');
}

function config(): NodeConfig {
  const read = readConfig('causeway.yaml', nodeText);
  if (read.kind === 'bad') throw new Error(read.problems.map(({ text }) => text).join('\n'));
  return read.config;
}

type Child = ReturnType<typeof startBird>;

function startBird(namespace: string, bird: string, name: string) {
  const at = (suffix: string) => join(folder, `${name}.${suffix}`);
  const argv = [bird, '-f', '-c', at('conf'), '-s', at('ctl'), '-P', at('pid')];
  return execa('ip', inside(namespace, argv), { reject: false });
}

/** The system's birdc against any of them: lines of the reply, an error's too, such as `Network not found`. */
async function ask(name: string, command: string): Promise<string> {
  const argv = ['-s', join(folder, `${name}.ctl`), ...command.split(' ')];
  const { stdout } = await execa('birdc', argv, { reject: false });
  return stdout;
}

async function answers(name: string): Promise<void> {
  const running = async (): Promise<boolean> => (await ask(name, 'show status')).includes('Daemon is up');
  await waitUntil(`the BIRD of the ${name}`, running, patiently);
}

/** The route of a prefix in one table or from one protocol, with all attributes; null: there is none. */
async function routeAt(name: string, prefix: string, from: string): Promise<string | null> {
  const reply = await ask(name, `show route ${prefix} ${from} all`);
  return reply.includes(`${prefix} `) ? reply.replaceAll(/bgp_|BGP\./g, '') : null;
}

async function established(...names: readonly string[]): Promise<void> {
  await waitUntil(
    `${names.join(', ')} to be established`,
    async () => {
      const rows = (await ask('node', 'show protocols')).split('\n');
      return names.every((name) =>
        rows.some((row) => row.startsWith(`${name} `) && row.includes('Established')),
      );
    },
    patiently,
  );
}

describe.each(birdVersions())('BIRD $version', ({ version, bird }) => {
  let node: Child | null = null;

  beforeAll(async () => {
    const text = renderConfig(config(), new Map(), new Map([['cmi', 's3cret; {odd}']]));
    await writeFile(join(folder, 'node.conf'), text);
    node = startBird(network.node, bird, 'node');
    await answers('node');
    await established('bgp_cmi4', 'bgp_cmi6', 'bgp_pccw4', 'bgp_pccw6');
  });
  afterAll(async () => {
    node?.kill('SIGTERM');
    await node;
  });

  test('runs the sessions as the config says', async () => {
    expect(await ask('node', 'show status')).toContain(version);
    const cmi = await ask('node', 'show protocols all bgp_cmi4');
    expect(cmi).toMatch(/Hold timer: +[\d.]+\/9\n/);
    expect(cmi).toMatch(/Keepalive timer: +[\d.]+\/3\n/);
    expect(cmi).toMatch(/Local capabilities[^]*Role: customer[^]*Neighbor capabilities[^]*Role: provider/);
    expect(cmi).toMatch(/Import limit: +100\n/);
    expect(cmi).toMatch(/Export limit: +32\n/);
    expect(cmi).toMatch(/Source address: +192\.0\.2\.6\n/);
    const linkLocal = await ask('node', 'show protocols all bgp_cmi6');
    expect(linkLocal).toMatch(/Neighbor address: +fe80::92%eth1\n/);
    expect(linkLocal).toMatch(/Source address: +fe80::2\n/);
    const pccw = await ask('node', 'show protocols all bgp_pccw4');
    expect(pccw).toMatch(/Session: +external multihop/);
    expect(pccw).toMatch(/Hold timer: +[\d.]+\/30\n/);
    await waitUntil(
      'BFD to be up at the pace that is asked for',
      async () => /192\.0\.2\.5 +eth1 +Up .* 0\.400 +4\.000/.test(await ask('node', 'show bfd sessions')),
      patiently,
    );
  });

  test('tells the carrier MED, prepends and communities of the service on that uplink, and of the uplink elsewhere', async () => {
    const web = await waitUntil(
      'web at cmi',
      () => routeAt('carrier', '203.0.113.0/24', 'protocol cmi4'),
      patiently,
    );
    expect(web).toMatch(/as_path: 64999 64999\n/);
    expect(web).toMatch(/med: 50\n/);
    expect(web).toMatch(/community: \(58453,70\)\n/);
    expect(web).toMatch(/large_community: \(4200000001, ?1, ?2\)\n?/);
    const dns = await waitUntil(
      'dns at cmi',
      () => routeAt('carrier', '198.51.100.0/24', 'protocol cmi4'),
      patiently,
    );
    expect(dns).toMatch(/as_path: 64999\n/);
    expect(dns).toMatch(/med: 100\n/);
    expect(dns).toMatch(/community: \(58453,100\)\n?/);
    const pccw = await waitUntil(
      'web at pccw',
      () => routeAt('carrier', '203.0.113.0/24', 'protocol pccw4'),
      patiently,
    );
    expect(pccw).toMatch(/as_path: 64999\n/);
    expect(pccw).not.toContain('community');
  });

  test('tells a global next hop over a link-local session', async () => {
    const web = await waitUntil(
      'web at cmi',
      () => routeAt('carrier', '2001:db8:a::/48', 'protocol cmi6'),
      patiently,
    );
    expect(web).toMatch(/next_hop: 2001:db8:1::2 fe80::2\n/);
  });

  test('drains with the communities of the drained state in place of the others', async () => {
    await ask('node', 'enable drain_cmi_web4');
    const drained = await waitUntil(
      'web to be drained at cmi',
      async () => {
        const route = await routeAt('carrier', '203.0.113.0/24', 'protocol cmi4');
        return route?.includes('med: 65000') === true && route;
      },
      patiently,
    );
    expect(drained).toMatch(/as_path: 64999 64999 64999 64999\n/);
    const [, communities = ''] = /community: (.*)\n?/.exec(drained) ?? [];
    expect(communities.split(' ').toSorted()).toEqual(['(58453,50)', '(65535,0)']);
    expect(drained).not.toContain('(58453,70)');
    await ask('node', 'disable drain_cmi_web4');
  });

  test('answers by source leave by the uplink of the service while its routes are in use, and else by main', async () => {
    const way = async (): Promise<string> =>
      (await network.near('route', 'get', '9.9.9.9', 'from', '203.0.113.1')).stdout;
    await waitUntil('answers by cmi', async () => (await way()).includes('dev eth1 table 2001'), patiently);
    await ask('node', 'disable learn_cmi4');
    await waitUntil('answers by pccw', async () => (await way()).includes('dev eth2'), patiently);
    await ask('node', 'enable learn_cmi4');
    await waitUntil(
      'answers by cmi again',
      async () => (await way()).includes('dev eth1 table 2001'),
      patiently,
    );
  });

  test('learns what no cache speaks against, and lets go of a false origin when one does', async () => {
    const learnt = (prefix: string) => routeAt('node', prefix, 'table t_pccw4');
    await waitUntil(
      'both routes',
      async () => (await learnt('1.0.0.0/24')) !== null && (await learnt('1.1.0.0/24')) !== null,
      patiently,
    );
    const program = join(import.meta.dirname, 'support', 'rpki-cache.mjs');
    const origins = ['1.0.0.0/24-24=64511', '1.1.0.0/24-24=3491'];
    const argv = [process.execPath, program, '192.0.2.5', '3323', ...origins];
    const cache = execa('ip', inside(network.other, argv), { reject: false });
    try {
      await waitUntil(
        'the cache to be there',
        async () => {
          await ask('node', 'restart causeway_rpki');
          return (await ask('node', 'show protocols causeway_rpki')).includes('Established');
        },
        { ...patiently, everyMillis: 500 },
      );
      await waitUntil('the false origin to go', async () => (await learnt('1.0.0.0/24')) === null, patiently);
      expect(await learnt('1.1.0.0/24')).not.toBeNull();
    } finally {
      cache.kill('SIGKILL');
      await cache;
    }
  });

  test('is seen to have lost a neighbour that stood still by BFD, and any other not', async () => {
    const client = openClient({ path: join(folder, 'node.ctl'), timeoutMillis: 10_000 });
    const lostBy = async (name: string) =>
      parseProtocols(await client.command('show protocols all'), null)?.get(name)?.lostBy;
    carrier?.kill('SIGSTOP');
    try {
      await waitUntil('cmi to be lost by BFD', async () => (await lostBy('bgp_cmi4')) === 'bfd', patiently);
      expect(await lostBy('bgp_pccw4')).toBe(undefined);
    } finally {
      carrier?.kill('SIGCONT');
      client.close();
    }
  });
});
