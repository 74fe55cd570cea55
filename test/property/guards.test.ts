/** What the guards promise in any world: budgets are never passed, and whatever is held is ended by something. */
import { fc, test } from '../support/property.ts';
import { describe, expect } from 'vitest';
import { type DampingModel, dampingModels, type RouteChange } from '../../src/core/decide/damping.ts';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { instant } from '../../src/types/units.ts';
import type { AnnouncementWish, Held } from '../../src/types/wish.ts';
import { playWorld, type Tick, worlds } from '../support/random-world.ts';
import { type Fact, guards, healthOf, inputAt, policy } from '../support/world.ts';

const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';
const options = { numRuns: isFull ? 67_000 : 150 };
const keyOf = ({ uplink, service, family }: AnnouncementWish): string => `${uplink}_${service}${family}`;
const drawn = { withdraw: 0, drain: 1, announce: 2 } as const;

/** Only link verdicts speak, of worlds in which nothing else ever did: what budgets are about. */
const plainWorlds = worlds.map((world) => ({
  ...world,
  booting: false,
  backup: false,
  tie: false,
  fleet: false,
  moments: world.moments.map((one) => ({ ...one, overrides: [], frozen: false, ready: 'ready' as const })),
}));

function changeOf(from: keyof typeof drawn, to: keyof typeof drawn): RouteChange | null {
  if (from === to) return null;
  return to === 'withdraw' ? 'withdrawal' : from === 'withdraw' ? 'reannouncement' : 'attributes';
}

/** The carrier's own ledger, kept by whole powers of the time since each change. */
function pointsNow(
  ledger: readonly { readonly cost: number; readonly at: number }[],
  now: number,
  { halfLifeMillis }: DampingModel,
): number {
  return ledger.reduce((sum, { cost, at }) => sum + cost * 0.5 ** ((now - at) / halfLifeMillis), 0);
}

const verdictOf = ({ input }: Tick, { uplink, family }: AnnouncementWish) =>
  input.health.find((one) => one.uplink === uplink && one.family === family)?.uplinkVerdict;

/** Whether something else of the group is announced fully, not failed: then nothing need return in a hurry. */
function hasOther(tick: Tick, wish: AnnouncementWish): boolean {
  return tick.decision.wish.announcements.some(
    (one) =>
      one.service === wish.service &&
      one.family === wish.family &&
      one.uplink !== wish.uplink &&
      one.state === 'announce' &&
      tick.before.wished[keyOf(one)]?.state !== 'withdraw' &&
      verdictOf(tick, one)?.health !== 'failed' &&
      tick.input.sessions.get(`${one.uplink}${one.family}`) !== 'down',
  );
}

describe('budgets, in any world', () => {
  test.prop([plainWorlds], options)(
    'no return, drain or canary step leaves less room than one withdrawal below suppression, but a repair',
    (world) => {
      const model = dampingModels[world.flapBudget];
      const ledgers = new Map<string, { cost: number; at: number }[]>();
      playWorld(world, (tick) => {
        for (const one of tick.decision.wish.announcements) {
          const key = keyOf(one);
          const ledger = ledgers.get(key) ?? [];
          ledgers.set(key, ledger);
          const change = changeOf(tick.before.wished[key]?.state ?? 'announce', one.state);
          const isDown = tick.input.sessions.get(`${one.uplink}${one.family}`) === 'down';
          if (change === null || isDown || verdictOf(tick, one)?.reason === 'link-down') continue;
          const { now } = tick.input;
          ledger.push({ cost: model.cost[change], at: now });
          const isFree = change === 'withdrawal' || one.reason === 'capacity' || !hasOther(tick, one);
          const points = pointsNow(ledger, now, model) + model.cost.withdrawal;
          if (!isFree) expect(points).toBeLessThan(model.suppress + 1);
        }
      });
    },
  );

  test.prop([plainWorlds], options)(
    'past max_withdrawals nothing returns and nothing leaves without a good one, but a repair',
    (world) => {
      const windowMillis = world.windowSeconds * 1000;
      const events: { uplink: string; at: number }[] = [];
      playWorld(world, (tick) => {
        const { now } = tick.input;
        const spent = events.filter(({ at }) => now - at < windowMillis).length >= world.maxWithdrawals;
        const found: string[] = [];
        for (const one of tick.decision.wish.announcements) {
          const was = tick.before.wished[keyOf(one)]?.state ?? 'announce';
          const standing = tick.before.standing[keyOf(one)];
          const isBack = standing?.state === 'withdraw' && standing.byVerdict;
          const rises = drawn[one.state] > drawn[was] && isBack;
          if (spent && rises) expect(hasOther(tick, one)).toBe(false);
          const isCut =
            tick.input.sessions.get(`${one.uplink}${one.family}`) === 'down' ||
            verdictOf(tick, one)?.reason === 'link-down';
          if (one.state !== 'withdraw' || was === 'withdraw' || isCut) continue;
          // What left in this tick, in a group before this one, began an event that this belongs to.
          const isNew = !wasCounted(events, one.uplink, now) && !found.includes(one.uplink);
          if (spent && isNew) expect(hadGood(tick, one)).toBe(true);
          found.push(one.uplink);
        }
        for (const uplink of found) if (!wasCounted(events, uplink, now)) events.push({ uplink, at: now });
      });
    },
  );

  function wasCounted(
    events: readonly { uplink: string; at: number }[],
    uplink: string,
    now: number,
  ): boolean {
    return events.some((one) => one.uplink === uplink && now - one.at <= guards.togetherMillis);
  }

  /** Of the group, announced until now and measured good. */
  function hadGood(tick: Tick, wish: AnnouncementWish): boolean {
    return tick.decision.wish.announcements.some((one) => {
      const verdict = verdictOf(tick, one);
      const isGood =
        (verdict?.health === 'healthy' || verdict?.health === 'degraded') && !verdict.inBadSeconds;
      const was = tick.before.wished[keyOf(one)]?.state ?? 'announce';
      const isUp = tick.input.sessions.get(`${one.uplink}${one.family}`) !== 'down';
      return (
        one.service === wish.service && one.family === wish.family && isGood && was !== 'withdraw' && isUp
      );
    });
  }
});

describe('no deadlock of guards', () => {
  test.prop([worlds], options)('in every held state some named event or time ends it', (world) => {
    const last = playWorld(world, () => {});
    if (last === null) return;
    for (const one of last.decision.wish.announcements)
      if (one.held !== null) expect(endsOf(last, one)).not.toBe('held for ever');
  });

  /** Follows the times that are named, and makes the events that are named, until nothing holds this announcement. */
  function endsOf(last: Tick, wish: AnnouncementWish): string {
    let { input } = last;
    let { memory } = last.decision;
    let held: Held | null = wish.held;
    for (let step = 0; step < 40; step += 1) {
      if (held === null) return `ended after ${step}`;
      if (held.until === null) input = eventFor(input, wish, held, step);
      const now = held.until === null ? instant(input.now + 200) : instant(held.until + 1);
      input = { ...input, now: instant(Math.max(now, input.now)) };
      const decision = decide(input, memory);
      memory = decision.memory;
      held = decision.wish.announcements.find((one) => keyOf(one) === keyOf(wish))?.held ?? null;
    }
    return 'held for ever';
  }

  /** Of a last resort the event may be either: others are good, or it recovers itself. */
  function eventFor(
    input: DecideInput,
    { uplink }: AnnouncementWish,
    { guard }: Held,
    step: number,
  ): DecideInput {
    switch (guard) {
      case 'frozen':
        return { ...input, freeze: null };
      case 'dns-first':
        return { ...input, dnsFirst: null };
      case 'capacity':
        return { ...input, traffic: new Map() };
      case 'no-consent':
        return {
          ...input,
          readiness: new Map([...input.readiness].map(([name, one]) => [name, { ...one, state: 'ready' }])),
        };
      case 'all-bad':
      case 'last-resort':
        return othersGood(input, step % 2 === 0 ? uplink : null);
      case 'hold':
      case 'rate':
      case 'flap':
      case 'canary':
      case 'samples':
        throw new Error(`${guard} names no time`);
    }
  }

  /** The other uplinks are good and nothing is said against them; null: all are. */
  function othersGood(input: DecideInput, uplink: string | null): DecideInput {
    return {
      ...input,
      overrides: [],
      sessions: new Map([...input.sessions.keys()].map((key) => [key, 'up'])),
      health: input.health.map((one) =>
        one.uplink === uplink ? one : healthOf(one.uplink, one.family, { health: 'healthy', since: 0 }),
      ),
    };
  }
});

describe('an uplink that flaps beside a good one', () => {
  const spells = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 10, maxLength: 60 });

  test.prop([spells], { numRuns: isFull ? 5000 : 30 })(
    'is withdrawn no more than once in a quarter of an hour, and two times more',
    (lengths) => {
      let memory: DecideMemory = emptyDecideMemory;
      let now = 1000;
      let withdrawals = 0;
      let was = 'announce';
      for (const [index, length] of lengths.entries()) {
        const cmi: Fact = { health: index % 2 === 0 ? 'healthy' : 'failed', since: now };
        for (let passed = 0; passed < length; passed += 20) {
          const more = { policy: { ...policy, recovery: { ...policy.recovery, canary: 'drain' as const } } };
          const decision = decide(
            inputAt(now + passed, { cmi, pccw: { health: 'healthy' }, hkbn: { health: 'healthy' } }, more),
            memory,
          );
          memory = decision.memory;
          const state = decision.wish.announcements[0]?.state ?? '';
          if (state === 'withdraw' && was !== 'withdraw') withdrawals += 1;
          was = state;
        }
        now += length;
      }
      expect(withdrawals).toBeLessThanOrEqual((now - 1000) / 900 + 2);
    },
  );
});
