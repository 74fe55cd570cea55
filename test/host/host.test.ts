/** Links and policy routing in a network namespace with real interfaces, rules and routes. */
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { IpCommand } from '../../src/host/ip-command.ts';
import { readLinks, watchLinks, type LinkWatch } from '../../src/host/links.ts';
import { inside } from '../../lab/network/inside.ts';
import { watchRetransmissions } from '../../src/host/retransmissions.ts';
import { checkRouting } from '../../src/host/routing-check.ts';
import { ipScript } from '../../src/host/routing-text.ts';
import { routingPlan } from '../../src/host/routing.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import type { RouteFact } from '../../src/types/link-view.ts';
import { nodeConfig, uplink } from '../unit/host-node.ts';
import { createHostNetwork, type HostNetwork } from '../support/host-network.ts';

const config = nodeConfig([uplink('cmi', 1), uplink('pccw', 2)]);
let network: HostNetwork;
let ip: IpCommand;
let watch: LinkWatch | null = null;
const soon = { timeout: 15_000, interval: 20 };

beforeEach(async () => {
  network = await createHostNetwork();
  ip = ['ip', '-n', network.node];
});

afterEach(async () => {
  watch?.stop();
  watch = null;
  await network.remove();
});

async function applyPlan(): Promise<void> {
  await network.shell(ipScript(routingPlan(config), { withRoutes: true }));
}

async function factOf(name: string, family: 4 | 6): Promise<RouteFact> {
  const facts = await checkRouting(config, ip);
  const fact = facts.find((each) => each.uplink === name && each.family === family);
  if (fact === undefined) throw new Error(`no fact of ${name}${family}`);
  return fact;
}

test('links carry index, state and the addresses that can be bound', async () => {
  const { links } = await readLinks(ip);
  expect([...links.keys()].toSorted()).toEqual(['eth1', 'eth2', 'lo']);
  expect(links.get('eth1')).toMatchObject({ up: true });
  expect(links.get('eth1')?.addresses).toEqual(expect.arrayContaining(['192.0.2.6', '2001:db8:1::2']));
});

test('a link is down without carrier as well as by the word of the operator', async () => {
  await network.far('link', 'set', 'far1', 'down');
  expect((await readLinks(ip)).links.get('eth1')?.up).toBe(false);
  await network.far('link', 'set', 'far1', 'up');
  await network.near('link', 'set', 'eth2', 'down');
  const { links } = await readLinks(ip);
  expect(links.get('eth1')?.up).toBe(true);
  expect(links.get('eth2')?.up).toBe(false);
});

test('a duplicated address is none', async () => {
  await network.far('addr', 'add', '2001:db8:1::99/64', 'dev', 'far1', 'nodad');
  await network.near('addr', 'add', '2001:db8:1::99/64', 'dev', 'eth1');
  await vi.waitFor(async () => {
    const { stdout } = await network.near('addr', 'show', 'dev', 'eth1');
    expect(stdout).toMatch(/2001:db8:1::99\/64.*dadfailed/);
  }, soon);
  expect((await readLinks(ip)).links.get('eth1')?.addresses).not.toContain('2001:db8:1::99');
});

test('without ip, reading links is an error and never an empty view', async () => {
  await expect(readLinks(['no-such-ip-command'])).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(readLinks(['ip', '-n', 'no-such-namespace'])).rejects.toMatchObject({ code: 'exit' });
});

test('the watch tells of addresses, links, and interfaces that are made again', async () => {
  const seen: string[] = [];
  watch = watchLinks({
    ip,
    onChange: ({ links }) => {
      const link = links.get('eth1');
      seen.push(link === undefined ? 'missing' : `${link.up ? 'up' : 'down'} ${link.addresses.length}`);
    },
    onTrouble: (text) => seen.push(text),
  });
  await vi.waitFor(() => expect(seen.at(-1)).toMatch(/^up [2-9]/), soon);
  const first = watch.view().links.get('eth1')?.ifindex;
  await network.near('link', 'set', 'eth1', 'down');
  await vi.waitFor(() => expect(seen.at(-1)).toMatch(/^down/), soon);
  await network.near('link', 'del', 'eth1');
  await vi.waitFor(() => expect(seen.at(-1)).toBe('missing'), soon);
  await network.pair(1);
  await vi.waitFor(() => expect(watch?.view().links.get('eth1')?.addresses).toContain('192.0.2.6'), soon);
  expect(watch.view().links.get('eth1')?.ifindex).not.toBe(first);
});

test('the watch notices a change of a rule long before it reads without being told', async () => {
  const events: number[] = [];
  watch = watchLinks({
    ip,
    onChange: () => {},
    onEvent: () => events.push(performance.now()),
    onTrouble: () => {},
  });
  // The first read is our own; the monitor is up once it reports something that we do.
  await vi.waitFor(async () => {
    const before = events.length;
    await network.near('rule', 'add', 'pref', '20000', 'from', '192.0.2.6', 'lookup', '1001');
    await network.near('rule', 'del', 'pref', '20000');
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(before), { timeout: 1000, interval: 5 });
  }, soon);
  const delays: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const before = events.length;
    const at = performance.now();
    await network.near(
      'rule',
      turn % 2 === 0 ? 'add' : 'del',
      'pref',
      '20000',
      'from',
      '192.0.2.6',
      'lookup',
      '1001',
    );
    await vi.waitFor(() => expect(events.length).toBeGreaterThan(before), soon);
    delays.push(performance.now() - at);
  }
  // The spacing of reads plus one read; the median, since this machine is shared.
  expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(1000);
});

test('a monitor that dies is told and started again, and none is left after stop', async () => {
  const troubles: string[] = [];
  watch = watchLinks({ ip, onChange: () => {}, onTrouble: (text) => troubles.push(text) });
  const firstPid = await vi.waitFor(async () => {
    const pids = await network.monitors();
    expect(pids).toHaveLength(1);
    return pids[0] ?? 0;
  }, soon);
  process.kill(firstPid, 'SIGKILL');
  await vi.waitFor(async () => {
    const pids = await network.monitors();
    expect(pids).toHaveLength(1);
    expect(pids[0]).not.toBe(firstPid);
  }, soon);
  expect(troubles[0]).toContain('`ip monitor` ended');
  watch.stop();
  await vi.waitFor(async () => expect(await network.monitors()).toEqual([]), soon);
});

test('the printed script gives every uplink its way, and running it twice changes nothing', async () => {
  await applyPlan();
  const rules = await network.near('rule');
  await applyPlan();
  expect((await network.near('rule')).stdout).toBe(rules.stdout);
  expect(await checkRouting(config, ip)).toEqual(
    ['cmi', 'pccw'].flatMap((name) =>
      [4, 6].map((family) => ({ kind: 'ok', uplink: name, family, missing: [] })),
    ),
  );
});

test('the script sets what can be set when one interface is missing, and says so by its exit code', async () => {
  await network.near('link', 'del', 'eth1');
  await expect(applyPlan()).rejects.toThrow('eth1');
  expect(await factOf('cmi', 4)).toMatchObject({ kind: 'wrong', why: 'interface-missing' });
  expect(await factOf('pccw', 6)).toMatchObject({ kind: 'ok', missing: [] });
});

interface Breakage {
  readonly name: string;
  readonly family: 4 | 6;
  readonly commands: readonly string[];
  readonly why: string;
  /** Whether the command of the fact alone mends it. */
  readonly mends: boolean;
}

test.each<Breakage>([
  {
    name: 'an empty table in IPv4, where Linux would look for the target on the link',
    family: 4,
    commands: ['route flush table 1001'],
    why: 'route-missing',
    mends: true,
  },
  {
    name: 'an empty table in IPv6',
    family: 6,
    commands: ['-6 route flush table 1001'],
    why: 'route-missing',
    mends: true,
  },
  {
    name: 'no rules',
    family: 4,
    commands: ['rule del pref 10000', 'rule del pref 10001'],
    why: 'route-missing',
    mends: true,
  },
  {
    name: 'no rules while main has a default by another uplink',
    family: 6,
    commands: [
      '-6 rule del pref 10000',
      '-6 rule del pref 10001',
      '-6 route add default via 2001:db8:2::1 dev eth2',
    ],
    why: 'wrong-uplink',
    mends: true,
  },
  {
    name: 'a default that goes via another host on the same link',
    family: 4,
    commands: ['addr add 198.18.0.2/24 dev eth1', 'route add default via 198.18.0.1 dev eth1 table 1001'],
    why: 'wrong-uplink',
    mends: true,
  },
  {
    name: 'a default on the wrong interface',
    family: 6,
    commands: ['-6 route add default dev eth2 table 1001 metric 1'],
    why: 'wrong-uplink',
    mends: true,
  },
  {
    name: 'a target that is on the link itself',
    family: 4,
    commands: ['route add 198.51.100.0/24 dev eth1 table 1001'],
    why: 'route-missing',
    mends: false,
  },
  {
    name: 'a blackhole',
    family: 4,
    commands: ['route add blackhole 198.51.100.0/24 table 1001'],
    why: 'route-missing',
    mends: false,
  },
  {
    name: 'a missing source',
    family: 4,
    commands: ['addr flush dev eth1'],
    why: 'source-missing',
    mends: false,
  },
  {
    name: 'a link that is down',
    family: 4,
    commands: ['link set eth1 down'],
    why: 'interface-down',
    mends: false,
  },
])('$name is found, on that uplink alone', async ({ family, commands, why, mends }) => {
  await applyPlan();
  for (const command of commands) await network.near(...command.split(' '));
  const fact = await factOf('cmi', family);
  expect(fact).toMatchObject({ kind: 'wrong', why });
  expect(await factOf('pccw', family)).toMatchObject({ kind: 'ok' });
  if (!mends || fact.kind !== 'wrong') return;
  await network.shell(fact.mend);
  expect(await factOf('cmi', family)).toEqual({ kind: 'ok', uplink: 'cmi', family, missing: [] });
});

test('a rule that is missing without harm is named with the command that adds it', async () => {
  await applyPlan();
  await network.near('rule', 'del', 'pref', '10001');
  const fact = await factOf('cmi', 4);
  expect(fact).toEqual({
    kind: 'ok',
    uplink: 'cmi',
    family: 4,
    missing: ['ip -4 rule add pref 10001 oif eth1 lookup 1001'],
  });
});

test('rules for answers by source are printed, set and missed like the others', async () => {
  const [web, ...services] = config.services;
  if (web === undefined) throw new Error('the config has no service');
  const as = {
    state: 'announce',
    med: null,
    prepend: null,
    communities: null,
    drainCommunities: null,
  } as const;
  const bySource: NodeConfig = {
    ...config,
    services: [{ ...web, egress: 'by-source', uplinks: new Map([['pccw', as]]) }, ...services],
  };
  await network.shell(ipScript(routingPlan(bySource), { withRoutes: true }));
  const missing = async (): Promise<readonly (readonly string[])[]> =>
    (await checkRouting(bySource, ip)).map((fact) => (fact.kind === 'ok' ? fact.missing : [fact.text]));
  expect(await missing()).toEqual([[], [], [], []]);
  const [prefix] = web.prefixes;
  const mend = `ip -4 rule add pref 20000 from ${prefix?.text} lookup 2002`;
  await network.near('rule', 'del', 'pref', '20000');
  expect(await missing()).toEqual([[], [], [mend], []]);
  await network.near('rule', 'add', 'pref', '20000', 'from', '203.0.112.0/23', 'lookup', '2002');
  expect(await missing()).toEqual([[], [], [mend], []]);
});

test('tables that have names are known by their numbers', async () => {
  await applyPlan();
  // The name of 1001 comes from the file system, which the namespace command can replace.
  await execa('mkdir', ['-p', `/etc/netns/${network.node}/iproute2`]);
  try {
    const file = `/etc/netns/${network.node}/iproute2/rt_tables`;
    await execa('sh', ['-c', `printf '1001 carrier\\n254 main\\n' > ${file}`]);
    const named: IpCommand = ['ip', 'netns', 'exec', network.node, 'ip'];
    expect((await execa('ip', ['netns', 'exec', network.node, 'ip', 'rule'])).stdout).toContain(
      'lookup carrier',
    );
    const facts = await checkRouting(config, named);
    expect(facts.every((fact) => fact.kind === 'ok' && fact.missing.length === 0)).toBe(true);
  } finally {
    await execa('rm', ['-r', `/etc/netns/${network.node}`]);
  }
});

const lossy = `table inet lossy { chain in { type filter hook input priority 0;
  tcp dport 5001 numgen random mod 100 < 10 drop; }; }`;

/** Takes what it gets, or sends 4 MB, and ends when it has. */
const receiver =
  "require('net').createServer((s) => s.resume()).listen(5001, '192.0.2.5', () => console.log('on'))";
const sender =
  "const s = require('net').connect({ host: '192.0.2.5', port: 5001, localAddress: '192.0.2.6' }); const chunk = Buffer.alloc(65536); let left = 64; const more = () => { while (left-- > 0) if (!s.write(chunk)) return s.once('drain', more); console.log('sent'); }; s.on('connect', more); setTimeout(() => s.end(), 60000)";

test('what TCP of an uplink had to send again is counted by its source', async () => {
  // Where it arrives: what the sender's own filter drops is not sent at all.
  await execa('ip', inside(network.other, ['nft', '-f', '-']), { input: lossy });
  const run = (namespace: string, code: string) =>
    execa('ip', inside(namespace, [process.execPath, '-e', code]), { reject: false, buffer: false });
  const receiving = run(network.other, receiver);
  let sending: ReturnType<typeof run> | null = null;
  try {
    const counter = watchRetransmissions(['192.0.2.6', '192.0.2.10'], 100, async ([, ...args]) => {
      const { stdout } = await execa('ip', inside(network.node, ['ss', ...args]));
      return stdout;
    });
    await counter.sample();
    await new Promise((resolve) => {
      receiving.stdout?.once('data', resolve);
    });
    sending = run(network.node, sender);
    await vi.waitFor(
      async () => {
        await counter.sample();
        const share = counter.share('192.0.2.6');
        expect(share?.sent).toBeGreaterThan(100_000);
        expect(share?.retransmitted).toBeGreaterThan(1000);
      },
      { timeout: 30_000, interval: 50 },
    );
    expect(counter.share('192.0.2.10')).toBe(null);
  } finally {
    sending?.kill('SIGKILL');
    receiving.kill('SIGKILL');
    await Promise.all([sending, receiving]);
  }
});
