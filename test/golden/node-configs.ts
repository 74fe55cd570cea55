/** Node configs as the loader would make them, by hand: what the golden files and other tests render. */
import type { NodeConfig, Service, Uplink } from '../../src/types/config.ts';
import { defaultSession } from '../../src/types/session-options.ts';
import { asn, millis, ratio } from '../../src/types/units.ts';

const probe = { intervalMillis: millis(200), timeoutMillis: millis(1000) };

export function uplink(name: string, more: Partial<Uplink> = {}): Uplink {
  return {
    name,
    carrier: name,
    interface: 'eth1',
    source: { 4: '223.118.10.2', 6: '2001:db8:58::2' },
    peer: {
      asn: asn(58453),
      address: { 4: '223.118.10.1', 6: '2001:db8:58::1' },
      passwordFile: null,
      multihop: null,
      bfd: false,
      session: defaultSession,
    },
    gateway: { 4: '223.118.10.1', 6: '2001:db8:58::1' },
    table: 1001,
    egressTable: 2001,
    localPref: 300,
    med: 100,
    prepend: 0,
    communities: [],
    drainCommunities: [],
    import: 'default',
    capacityBits: null,
    targets: [],
    probe,
    ...more,
  };
}

export function service(name: string, ...prefixes: readonly string[]): Service {
  return {
    name,
    prefixes: prefixes.map((text) => ({ text, family: text.includes(':') ? 6 : 4 })),
    ready: [],
    alone: 'drain',
    uplinks: new Map(),
    egress: 'best',
  };
}

export function nodeConfig(
  uplinks: readonly Uplink[],
  services: readonly Service[],
  layout: 'whole' | 'include' = 'whole',
): NodeConfig {
  return {
    mode: 'live',
    node: { name: 'hk1', site: 'hkg', asn: asn(65001), routerId: '10.255.0.1' },
    bird: {
      socket: '/run/bird/bird.ctl',
      command: null,
      adopt: new Map(),
      config: '/etc/bird/causeway/causeway.conf',
      layout,
      rpki: null,
    },
    services,
    uplinks,
    policy: {
      loss: { good: ratio(0.005), bad: ratio(0.05) },
      latency: { badMillis: millis(300) },
      patienceMillis: millis(5000),
      falseAlarmMillis: millis(315_360_000_000),
      regions: { share: ratio(0.5), weights: new Map() },
      recovery: {
        cleanMillis: millis(60_000),
        holdMillis: millis(60_000),
        maxHoldMillis: millis(3_600_000),
        canary: 'off',
      },
      drain: { med: 65000, prepend: 3, gshut: true },
      tieFamilies: false,
    },
    probeEngine: 'icmp-socket',
    guards: {
      keepUplinks: 1,
      keepNodes: 1,
      togetherMillis: millis(15_000),
      maxWithdrawals: { count: 3, windowMillis: millis(900_000) },
      flapBudget: 'cisco',
    },
    onStop: { do: 'keep', deadlineMillis: millis(60_000) },
    onBoot: 'as-left',
    maintenance: [],
    fleet: null,
    geodns: null,
    webhooks: [],
    http: { host: '127.0.0.1', port: 9180, tokenFile: null },
    edge: null,
    paths: {
      state: '/var/lib/causeway',
      control: '/run/causeway/control.sock',
      edge: { file: '/run/causeway/edge.json', socket: '/run/causeway-edge/admin.sock' },
    },
    record: null,
    shadow: null,
  };
}

/** The node of DESIGN 5: three carriers, both families. */
export function threeCarriers(layout: 'whole' | 'include' = 'whole'): NodeConfig {
  return nodeConfig(
    [
      uplink('cmi'),
      uplink('pccw', {
        interface: 'eth2',
        source: { 4: '63.218.20.2', 6: '2001:db8:34::2' },
        peer: {
          asn: asn(3491),
          address: { 4: '63.218.20.1', 6: '2001:db8:34::1' },
          passwordFile: null,
          multihop: null,
          bfd: false,
          session: defaultSession,
        },
        gateway: { 4: '63.218.20.1', 6: '2001:db8:34::1' },
        table: 1002,
        localPref: 200,
        med: 200,
        prepend: 1,
      }),
      uplink('hkbn', {
        interface: 'eth3',
        source: { 4: '103.90.30.2', 6: '2001:db8:92::2' },
        peer: {
          asn: asn(9269),
          address: { 4: '103.90.30.1', 6: '2001:db8:92::1' },
          passwordFile: null,
          multihop: null,
          bfd: false,
          session: defaultSession,
        },
        gateway: { 4: '103.90.30.1', 6: '2001:db8:92::1' },
        table: 1003,
        localPref: 100,
        med: 300,
        import: 'full',
      }),
    ],
    [service('web', '203.0.113.0/24', '2001:db8:a::/48')],
    layout,
  );
}

/** What is rare: several hops, BFD, passwords, link-local peers, odd names of interfaces, services of one family. */
export function oddities(): NodeConfig {
  return nodeConfig(
    [
      uplink('cmi', {
        peer: {
          asn: asn(4200000001),
          address: { 4: '192.0.2.77', 6: '2001:db8:77::1' },
          passwordFile: '/etc/causeway/cmi.key',
          multihop: 2,
          bfd: true,
          session: defaultSession,
        },
        prepend: 8,
        import: 'none',
      }),
      uplink('pccw', {
        interface: 'eth0.100',
        source: { 6: '2001:db8:34::2' },
        peer: {
          asn: asn(3491),
          address: { 6: 'fe80::1' },
          passwordFile: null,
          multihop: null,
          bfd: true,
          session: defaultSession,
        },
        gateway: { 6: 'fe80::1' },
        table: 1002,
      }),
      uplink('hkbn', {
        interface: 'wan-hk',
        source: { 4: '103.90.30.2' },
        peer: {
          asn: asn(9269),
          address: { 4: '103.90.30.1' },
          passwordFile: '/etc/causeway/hkbn.key',
          multihop: null,
          bfd: false,
          session: defaultSession,
        },
        gateway: { 4: '103.90.30.1' },
        table: 1003,
      }),
    ],
    [
      service('web', '203.0.113.0/24', '198.51.100.0/25', '2001:db8:a::/48'),
      service('dns', '2001:db8:53::/48', '2001:db8:54::/48'),
    ],
  );
}

/** One uplink and one family. */
export function smallest(layout: 'whole' | 'include'): NodeConfig {
  return nodeConfig(
    [
      uplink('cmi', {
        source: { 4: '223.118.10.2' },
        peer: {
          asn: asn(58453),
          address: { 4: '223.118.10.1' },
          passwordFile: null,
          multihop: null,
          bfd: false,
          session: defaultSession,
        },
        gateway: { 4: '223.118.10.1' },
      }),
    ],
    [service('web', '203.0.113.0/24')],
    layout,
  );
}
