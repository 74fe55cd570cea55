/** A small node for tests of the core: uplinks cmi, pccw and hkbn, service web, IPv4 unless said otherwise. */
import type { DecideInput } from '../../src/core/decide/decide.ts';
import type { Guards, Service, Uplink } from '../../src/types/config.ts';
import type { UplinkHealth, Verdict } from '../../src/types/health.ts';
import type { Policy } from '../../src/types/policy.ts';
import { defaultSession } from '../../src/types/session-options.ts';
import { asn, type Family, instant, millis, ratio } from '../../src/types/units.ts';
import type { HealthReason, HealthState } from '../../src/types/wire/enums.ts';

export const policy: Policy = {
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
};

export const guards: Guards = {
  keepUplinks: 1,
  keepNodes: 1,
  togetherMillis: millis(15_000),
  maxWithdrawals: { count: 3, windowMillis: millis(900_000) },
  flapBudget: 'cisco',
};

export function uplinkNamed(name: string): Uplink {
  return {
    name,
    carrier: name,
    interface: name,
    source: { 4: '192.0.2.2', 6: '2001:db8::2' },
    peer: {
      asn: asn(64500),
      address: { 4: '192.0.2.1', 6: '2001:db8::1' },
      passwordFile: null,
      multihop: null,
      bfd: false,
      session: defaultSession,
    },
    gateway: { 4: '192.0.2.1', 6: '2001:db8::1' },
    table: 1001,
    egressTable: 2001,
    localPref: 100,
    med: 100,
    prepend: 0,
    communities: [],
    drainCommunities: [],
    import: 'default',
    capacityBits: null,
    targets: [],
    probe: { intervalMillis: millis(200), timeoutMillis: millis(1000) },
  };
}

export const web: Service = {
  name: 'web',
  prefixes: [{ family: 4, text: '203.0.113.0/24' }],
  uplinks: new Map(),
  egress: 'best',
  ready: [],
  alone: 'drain',
};

export interface Fact {
  readonly health: HealthState;
  /** Seconds of monotonic time since when it is so. */
  readonly since?: number;
  readonly reason?: HealthReason;
  readonly inBadSeconds?: boolean;
  readonly loss?: number;
  readonly gateway?: HealthState;
}

const usualReason: Readonly<Record<HealthState, HealthReason>> = {
  unknown: 'too-few-samples',
  healthy: 'healthy',
  degraded: 'latency',
  failed: 'loss',
};

export function verdict(fact: Fact): Verdict {
  const { health } = fact;
  return {
    health,
    reason: fact.reason ?? usualReason[health],
    text: `${health} in a test`,
    since: instant((fact.since ?? 0) * 1000),
    cleanSince: null,
    inBadSeconds: fact.inBadSeconds ?? false,
    evidence: {
      loss: ratio(fact.loss ?? (health === 'failed' ? 1 : 0)),
      rttP50Millis: null,
      rttP95Millis: null,
      answered: 0,
      lost: 0,
      notRun: 0,
      targets: 4,
      badTargets: 0,
    },
  };
}

export function healthOf(uplink: string, family: Family, fact: Fact): UplinkHealth {
  return {
    uplink,
    family,
    uplinkVerdict: verdict(fact),
    gateway: verdict({ health: fact.gateway ?? 'healthy' }),
    regions: new Map(),
    targets: new Map(),
  };
}

/** The input of decide at `seconds`, from a fact for each uplink. */
export function inputAt(
  seconds: number,
  facts: Readonly<Record<string, Fact>>,
  more: Partial<DecideInput> = {},
): DecideInput {
  return {
    services: [web],
    uplinks: Object.keys(facts).map((name) => uplinkNamed(name)),
    policy,
    guards,
    waitMillis: millis(7000),
    health: Object.entries(facts).map(([name, fact]) => healthOf(name, 4, fact)),
    sessions: new Map(Object.keys(facts).map((name) => [`${name}4`, 'up'] as const)),
    usableDefaults: new Set(Object.keys(facts).map((name) => `${name}4`)),
    overrides: [],
    readiness: new Map(),
    booting: false,
    freeze: null,
    traffic: new Map(),
    fleet: null,
    now: instant(seconds * 1000),
    ...more,
  };
}
