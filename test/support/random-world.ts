/**
 * Random worlds for properties of decide: three uplinks, service web (IPv4) and service dns (both families, with a
 * check), any policy of the guards, and a row of moments in which anything may be so.
 */
import { fc } from './property.ts';
import { decide, type Decision, type DecideInput } from '../../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import type { Service, Uplink } from '../../src/types/config.ts';
import type { FleetWord } from '../../src/types/fleet-word.ts';
import type { UplinkHealth } from '../../src/types/health.ts';
import type { Override, OverrideSubject } from '../../src/types/override.ts';
import { type Family, families, instant, millis } from '../../src/types/units.ts';
import { type Fact, guards, healthOf, policy, uplinkNamed, web } from './world.ts';

export const names = ['cmi', 'pccw', 'hkbn'] as const;
export const dns: Service = {
  ...web,
  name: 'dns',
  prefixes: [
    { family: 4, text: '198.51.100.0/24' },
    { family: 6, text: '2001:db8:53::/48' },
  ],
};

const fact = fc.record({
  health: fc.constantFrom('healthy', 'healthy', 'failed', 'failed', 'degraded', 'unknown'),
  agoSeconds: fc.integer({ min: 0, max: 4 }),
  inBadSeconds: fc.boolean(),
  loss: fc.double({ min: 0, max: 1, noNaN: true }),
  gateway: fc.constantFrom('healthy', 'healthy', 'failed'),
  reason: fc.constantFrom('usual', 'usual', 'usual', 'link-down'),
});

const subject: fc.Arbitrary<OverrideSubject> = fc.oneof(
  fc.record({
    kind: fc.constant('announcement' as const),
    service: fc.constantFrom('web', 'dns'),
    uplink: fc.constantFrom(...names),
    family: fc.constantFrom(...families),
  }),
  fc.record({
    kind: fc.constant('selection' as const),
    service: fc.constantFrom(null, 'web', 'dns'),
    uplink: fc.constantFrom(...names, null),
    family: fc.constantFrom(null, ...families),
  }),
);

const override: fc.Arbitrary<Override> = fc.record({
  subject,
  state: fc.constantFrom('announce', 'drain', 'withdraw'),
  author: fc.constantFrom('ops', 'birdc', 'maintenance'),
  reason: fc.constantFrom('a', 'b'),
  at: fc.constantFrom('2026-11-30T01:00:00Z', '2026-11-30T02:00:00Z'),
  expires: fc.constant(null),
});

const moment = fc.record({
  facts: fc.tuple(...names.map(() => fc.tuple(fact, fact))),
  sessions: fc.tuple(...names.map(() => fc.constantFrom('up', 'up', 'up', 'down', 'unknown'))),
  overrides: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(override, { maxLength: 3 }) },
  ),
  ready: fc.constantFrom('ready', 'ready', 'ready', 'not-ready', 'unknown'),
  frozen: fc.integer({ min: 0, max: 7 }).map((one) => one === 0),
  trafficBits: fc.tuple(...names.map(() => fc.integer({ min: 0, max: 10 }).map((one) => one * 1e9))),
  consent: fc.constantFrom('given', 'refused', 'silent'),
  seconds: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 400 }), fc.constant(1800)),
});
export type Moment = typeof moment extends fc.Arbitrary<infer M> ? M : never;

export const worlds = fc.record({
  moments: fc.array(moment, { minLength: 1, maxLength: 8 }),
  keepUplinks: fc.integer({ min: 0, max: 3 }),
  maxWithdrawals: fc.integer({ min: 1, max: 3 }),
  windowSeconds: fc.constantFrom(60, 900),
  flapBudget: fc.constantFrom('cisco', 'juniper', 'rfc7196'),
  canary: fc.constantFrom('drain', 'off'),
  tie: fc.boolean(),
  backup: fc.boolean(),
  capacity: fc.boolean(),
  fleet: fc.boolean(),
  booting: fc.boolean(),
  /** Whether planned drains wait for a GeoDNS, which acknowledges some of them. */
  dnsFirst: fc.boolean(),
  alone: fc.constantFrom('drain', 'withdraw'),
});
export type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never;

export interface Tick {
  readonly world: World;
  readonly input: DecideInput;
  readonly before: DecideMemory;
  readonly decision: Decision;
}

/** Plays a world and hands each tick to `check`; returns the last one. */
export function playWorld(world: World, check: (tick: Tick) => void): Tick | null {
  let memory = emptyDecideMemory;
  let now = 1_000_000;
  let facts: Since = new Map();
  let last: Tick | null = null;
  for (const one of world.moments) {
    now += one.seconds * 1000;
    facts = factsAt(one, facts, now);
    const input = inputOf(world, one, facts, now);
    const before = memory;
    const decision = decide(input, before);
    memory = decision.memory;
    last = { world, input, before, decision };
    check(last);
  }
  return last;
}

/** By uplink and family: what is measured, and since when. */
type Since = ReadonlyMap<string, Fact>;

/** A state that goes on keeps its beginning, as verdicts do. */
function factsAt(one: Moment, before: Since, now: number): Since {
  const facts = new Map<string, Fact>();
  for (const [index, pair] of one.facts.entries()) {
    for (const [at, measured] of pair.entries()) {
      const key = `${names[index] ?? ''}${families[at] ?? 4}`;
      const last = before.get(key);
      const goesOn = last?.health === measured.health;
      const { agoSeconds, reason, ...rest } = measured;
      facts.set(key, {
        ...rest,
        ...(reason === 'link-down' && rest.health === 'failed' ? { reason: 'link-down' as const } : {}),
        since: goesOn ? (last.since ?? 0) : now / 1000 - agoSeconds,
      });
    }
  }
  return facts;
}

function inputOf(world: World, one: Moment, facts: Since, now: number): DecideInput {
  const families46 = names.flatMap((name) => families.map((family) => ({ name, family })));
  const word: FleetWord = {
    consent: one.consent,
    announcingNodes: one.consent === 'silent' ? null : one.consent === 'given' ? 2 : 0,
    text: `consent ${one.consent}`,
  };
  return {
    services: [web, { ...dns, alone: world.alone, uplinks: backupIn(world) }],
    uplinks: names.map(
      (name): Uplink => ({
        ...uplinkNamed(name),
        capacityBits: world.capacity ? 10e9 : null,
      }),
    ),
    policy: {
      ...policy,
      tieFamilies: world.tie,
      recovery: { ...policy.recovery, canary: world.canary },
    },
    guards: {
      ...guards,
      keepUplinks: world.keepUplinks,
      maxWithdrawals: { count: world.maxWithdrawals, windowMillis: millis(world.windowSeconds * 1000) },
      flapBudget: world.flapBudget,
    },
    waitMillis: millis(7000),
    health: families46.map(({ name, family }) => healthAt(facts, name, family)),
    sessions: new Map(
      families46.map(({ name, family }) => [
        `${name}${family}`,
        one.sessions[names.indexOf(name)] ?? 'unknown',
      ]),
    ),
    usableDefaults: new Set(families46.map(({ name, family }) => `${name}${family}`)),
    overrides: one.overrides,
    readiness: new Map([['dns', { state: one.ready, since: instant(now), text: `check says ${one.ready}` }]]),
    booting: world.booting,
    freeze: one.frozen ? { author: 'ops', reason: 'storm', at: '' } : null,
    traffic: new Map(names.map((name, index) => [name, one.trafficBits[index] ?? 0])),
    dnsFirst: world.dnsFirst
      ? {
          ttlMillis: millis(30_000),
          deadlineMillis: millis(60_000),
          toldAt: new Map([[`${names[one.seconds % 3] ?? ''}_web4`, instant(now - 10_000)]]),
        }
      : null,
    fleet: world.fleet ? new Map(['web4', 'dns4', 'dns6'].map((key) => [key, word])) : null,
    now: instant(now),
  };
}

function healthAt(facts: Since, name: string, family: Family): UplinkHealth {
  return healthOf(name, family, facts.get(`${name}${family}`) ?? { health: 'unknown' });
}

function backupIn({ backup }: World): Service['uplinks'] {
  const plain = { med: null, prepend: null, communities: null, drainCommunities: null };
  return new Map(backup ? [['hkbn', { state: 'backup', ...plain }]] : []);
}
