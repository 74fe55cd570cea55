/** Values for the tests of host, HTTP and status: a node as loading its config gives it, and a status document. */
import type { NodeConfig, Uplink } from '../../src/types/config.ts';
import { defaultSession } from '../../src/types/session-options.ts';
import { asn, millis, ratio } from '../../src/types/units.ts';
import type { FamilyStatus, StatusDocument } from '../../src/types/wire/status.ts';

export function uplink(name: string, n: number, more: Partial<Uplink> = {}): Uplink {
  const gateway = { 4: `192.0.2.${4 * n + 1}`, 6: `2001:db8:${n}::1` };
  return {
    name,
    carrier: name,
    interface: `eth${n}`,
    source: { 4: `192.0.2.${4 * n + 2}`, 6: `2001:db8:${n}::2` },
    peer: {
      asn: asn(58453 + n),
      address: gateway,
      passwordFile: null,
      multihop: null,
      bfd: false,
      session: defaultSession,
    },
    gateway,
    table: 1000 + n,
    egressTable: 2000 + n,
    localPref: 300,
    med: 100,
    prepend: 0,
    communities: [],
    drainCommunities: [],
    import: 'default',
    capacityBits: null,
    targets: [
      { name: 'jkt-1', region: 'ID', family: 4, address: '198.51.100.10', ping: true, tcpPort: null },
      { name: 'jkt-1', region: 'ID', family: 6, address: '2001:db8:62::10', ping: true, tcpPort: null },
    ],
    probe: { intervalMillis: millis(200), timeoutMillis: millis(1000) },
    ...more,
  };
}

export function nodeConfig(uplinks: readonly Uplink[], more: Partial<NodeConfig> = {}): NodeConfig {
  return {
    mode: 'live',
    node: { name: 'hk1', site: 'hkg', asn: asn(65001), routerId: '10.255.0.1' },
    bird: {
      socket: '/run/bird/bird.ctl',
      command: null,
      adopt: new Map(),
      config: '/etc/bird/causeway/causeway.conf',
      layout: 'include',
      rpki: null,
    },
    services: [
      {
        name: 'web',
        prefixes: [{ family: 4, text: '203.0.113.0/24' }],
        uplinks: new Map(),
        egress: 'best',
        ready: [],
        alone: 'drain',
      },
    ],
    uplinks,
    probeEngine: 'icmp-socket',
    policy: {
      loss: { good: ratio(0.005), bad: ratio(0.05) },
      latency: { badMillis: millis(300) },
      patienceMillis: millis(5000),
      falseAlarmMillis: millis(3.15e11),
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
    ...more,
  };
}

export function familyStatus(more: Partial<FamilyStatus> = {}): FamilyStatus {
  return {
    health: 'healthy',
    reason: 'healthy',
    text: 'loss 0 % on 10 targets',
    sinceSeconds: 4000,
    regions: { ID: { health: 'healthy', reason: 'healthy' }, PH: { health: 'healthy', reason: 'healthy' } },
    targets: [
      {
        name: 'jkt-1',
        address: '198.51.100.10',
        region: 'ID',
        health: 'healthy',
        loss: 0,
        rttP50Millis: 40,
        rttP95Millis: 42,
        notRun: null,
      },
    ],
    evidence: {
      loss: 0.002,
      rttP50Millis: 40.2,
      rttP95Millis: 88.4,
      answered: 500,
      lost: 1,
      notRun: 0,
      targets: 10,
      badTargets: 0,
    },
    session: { state: 'Established', sinceText: '2026-11-30 01:00:00.000' },
    announcements: [
      {
        service: 'web',
        wish: 'announce',
        reason: 'healthy',
        text: 'healthy',
        author: 'causeway',
        held: null,
        seen: 'exported',
        file: 'as-wished',
      },
    ],
    ...more,
  };
}

export function statusOf(more: Partial<StatusDocument> = {}): StatusDocument {
  return {
    schema: 1,
    node: 'hk1',
    mode: 'live',
    startedAt: '2026-11-30T01:00:00Z',
    tickAgeMillis: 120,
    alarms: [],
    prober: {
      kind: 'running',
      engine: 'icmp-socket',
      pid: 4711,
      lagMillis: 0.4,
      strays: 0,
      rssBytes: 50_000_000,
    },
    bird: { kind: 'seen', version: '2.0.12', path: '/run/bird/bird.ctl' },
    uplinks: [
      {
        uplink: 'cmi',
        carrier: 'cmi',
        interface: 'eth1',
        link: 'up',
        families: { '4': familyStatus(), '6': familyStatus() },
      },
    ],
    overrides: [],
    transitions: [],
    actions: [],
    ...more,
  };
}
