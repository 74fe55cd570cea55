/** What decide and plan promise in any world: many random ones, several ticks each. */
import { fc, test } from '../support/property.ts';
import { describe, expect } from 'vitest';
import { decide } from '../../src/core/decide/decide.ts';
import { restoreDecideMemory } from '../../src/core/decide/restore-memory.ts';
import { tieFamilies } from '../../src/core/decide/tied-families.ts';
import { overrideFor } from '../../src/core/decide/which-override.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { protocolWishes } from '../../src/core/plan/protocols.ts';
import { instant } from '../../src/types/units.ts';
import type { AnnouncementWish, Wish } from '../../src/types/wish.ts';
import { birdShowing, type Shown } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';
import { names, playWorld, type Tick, type World, worlds } from '../support/random-world.ts';

const numRuns = process.env['CAUSEWAY_TEST_FULL'] === '1' ? 67_000 : 150;
const options = { numRuns };

const keyOf = ({ uplink, service, family }: AnnouncementWish): string => `${uplink}_${service}${family}`;
const drawn = { withdraw: 0, drain: 1, announce: 2 } as const;

function isForced({ input }: Tick, wish: AnnouncementWish): boolean {
  return forcing(input.overrides, wish) !== null;
}

function forcing(overrides: Tick['input']['overrides'], wish: AnnouncementWish) {
  const words = overrides.filter(({ author }) => author !== 'maintenance');
  return overrideFor(words, wish.service, wish.uplink, wish.family);
}

/** The wishes of each group. */
function groupsOf({ decision }: Tick): readonly (readonly AnnouncementWish[])[] {
  const { announcements } = decision.wish;
  return [
    ...new Map(
      announcements.map(({ service, family }) => [
        `${service}${family}`,
        announcements.filter((one) => one.service === service && one.family === family),
      ]),
    ).values(),
  ];
}

/** The verdict that counts: with tied families the worse of both. */
function verdictOf({ input, world }: Tick, { uplink, family }: AnnouncementWish) {
  const health = world.tie ? tieFamilies(input.uplinks, input.health) : input.health;
  return health.find((one) => one.uplink === uplink && one.family === family)?.uplinkVerdict;
}
const sessionOf = ({ input }: Tick, { uplink, family }: AnnouncementWish) =>
  input.sessions.get(`${uplink}${family}`);

function isGoodEnough(tick: Tick, wish: AnnouncementWish): boolean {
  const health = verdictOf(tick, wish)?.health;
  return (health === 'healthy' || health === 'degraded') && sessionOf(tick, wish) !== 'down';
}

/** Whether only link verdicts speak for this group: nothing above them, no freeze. */
function isPlain(tick: Tick, group: readonly AnnouncementWish[]): boolean {
  const { input } = tick;
  const isChecked = group[0]?.service === 'dns';
  return input.overrides.length === 0 && input.freeze === null && !(isChecked && !isSurelyReady(tick));
}

function isSurelyReady({ decision }: Tick): boolean {
  return decision.memory.readied['dns']?.ready === true;
}

function forEach(world: World, check: (tick: Tick, group: readonly AnnouncementWish[]) => void): void {
  playWorld(world, (tick) => {
    for (const group of groupsOf(tick)) check(tick, group);
  });
}

describe('decide, in any world', () => {
  test.prop([worlds], options)('a forced state always holds, with its author', (world) => {
    forEach(world, (tick, group) => {
      for (const one of group) {
        const forced = forcing(tick.input.overrides, one);
        // test/property/dns-first.test.ts has what may wait for GeoDNS.
        if (forced === null || one.held?.guard === 'dns-first') continue;
        expect(one).toMatchObject({ state: forced.state, reason: 'override', author: forced.author });
      }
    });
  });

  test.prop([worlds], options)('nothing is announced above what maintenance and readiness leave', (world) => {
    forEach(world, (tick, group) => {
      for (const one of group) {
        if (isForced(tick, one) || tick.input.freeze !== null || one.held?.guard === 'dns-first') continue;
        const windows = tick.input.overrides.filter(({ author }) => author === 'maintenance');
        const most = overrideFor(windows, one.service, one.uplink, one.family)?.state ?? 'announce';
        expect(drawn[one.state]).toBeLessThanOrEqual(drawn[most]);
        if (one.service !== 'dns') continue;
        const readied = tick.decision.memory.readied['dns'];
        if (readied?.ready === false) expect(one.state).not.toBe('announce');
        const was = tick.before.wished[keyOf(one)]?.state;
        if (readied?.ready === false && was === 'withdraw') expect(one.state).toBe('withdraw');
        if (tick.input.booting && readied?.once !== true) expect(one.state).toBe('withdraw');
      }
    });
  });

  test.prop([worlds], options)('link verdicts never take the last announcement without consent', (world) => {
    forEach(world, (tick, group) => {
      const consented = tick.decision.memory.consented.some(
        (key) => key === `${group[0]?.service}${group[0]?.family}`,
      );
      if (world.keepUplinks === 0 || !isPlain(tick, group) || consented) return;
      const canBe = group.filter(
        (one) => sessionOf(tick, one) !== 'down' && verdictOf(tick, one)?.reason !== 'link-down',
      );
      const wasByPeople = group.some((one) => {
        const standing = tick.before.standing[keyOf(one)];
        return standing?.state === 'withdraw' && !standing.byVerdict;
      });
      const carried = group.filter((one) => one.state !== 'withdraw' && sessionOf(tick, one) !== 'down');
      if (canBe.length > 0 && !wasByPeople) expect(carried).not.toEqual([]);
    });
  });

  test.prop([worlds], options)('with any uplink good enough the node is never dark', (world) => {
    forEach(world, (tick, group) => {
      if (world.keepUplinks === 0 || !isPlain(tick, group) || world.fleet) return;
      if (!group.some((one) => isGoodEnough(tick, one))) return;
      const carried = group.filter((one) => one.state !== 'withdraw' && sessionOf(tick, one) !== 'down');
      expect(carried.some((one) => verdictOf(tick, one)?.health !== 'failed')).toBe(true);
    });
  });

  test.prop([worlds], options)('a failed uplink waits for nothing while a good one is announced', (world) => {
    forEach(world, (tick, group) => {
      if (world.capacity || tick.input.freeze !== null) return;
      const good = group.filter((one) => isGoodEnough(tick, one) && isAnnouncedGood(tick, one));
      if (good.length < Math.max(1, world.keepUplinks)) return;
      for (const one of group) {
        if (verdictOf(tick, one)?.health !== 'failed' || isForced(tick, one)) continue;
        expect(one.state).toBe('withdraw');
      }
    });
  });

  test.prop([worlds], options)('unknown changes nothing by itself', (world) => {
    forEach(world, (tick, group) => {
      for (const one of group) {
        if (verdictOf(tick, one)?.health !== 'unknown' || !isPlain(tick, group)) continue;
        const standing = tick.before.standing[keyOf(one)]?.state ?? 'announce';
        if (one.reason === 'unknown-keep') expect(one.state).toBe(standing);
        else expect(['last-resort', 'backup', 'flap']).toContain(one.reason);
      }
    });
  });

  test.prop([worlds], options)('a frozen wish changes only by the word of an operator or a hand', (world) => {
    forEach(world, (tick, group) => {
      if (tick.input.freeze === null) return;
      for (const one of group) {
        const was = tick.before.wished[keyOf(one)];
        if (!isForced(tick, one) && was !== undefined) expect(one.state).toBe(was.beneath);
      }
    });
  });

  test.prop([worlds], options)(
    'every wish has reason, text and author, and what is held says by what',
    (world) => {
      forEach(world, (tick, group) => {
        for (const { held, text, author, reason } of group) {
          expect([text, author, reason]).not.toContain('');
          if (held === null) continue;
          expect(held.text).not.toBe('');
          if (held.until === null) {
            expect(['all-bad', 'last-resort', 'frozen', 'no-consent', 'capacity']).toContain(held.guard);
          } else expect(held.until).toBeGreaterThan(tick.input.now);
        }
      });
    },
  );

  test.prop([worlds], options)('the order of what is known does not matter', (world) => {
    playWorld(world, ({ input, before, decision }) => {
      const turned = {
        ...input,
        health: input.health.toReversed(),
        overrides: input.overrides.toReversed(),
        sessions: new Map([...input.sessions].toReversed()),
        traffic: new Map([...input.traffic].toReversed()),
      };
      const again = decide(turned, before);
      expect(again.wish).toEqual(decision.wish);
      expect(again.memory).toEqual(decision.memory);
    });
  });

  test.prop([worlds, fc.integer({ min: 1, max: 10_000_000 })], options)(
    'time that runs back is the time that was, and wall time decides nothing',
    (world, back) => {
      playWorld(world, ({ input, before, decision }) => {
        if (before.now === null) return;
        const still = decide({ ...input, now: before.now }, before);
        expect(decide({ ...input, now: instant(before.now - back) }, before)).toEqual(still);
        const year = (text: string) => text.replace('2026', '1999');
        const overrides = input.overrides.map((one) => ({ ...one, at: year(one.at) }));
        expect(decide({ ...input, overrides }, before).wish).toEqual(decision.wish);
      });
    },
  );

  test.prop([worlds], options)('a memory that went through the checkpoint decides the same', (world) => {
    playWorld(world, ({ input, before, decision }) => {
      const restored = restoreDecideMemory(JSON.parse(JSON.stringify(before)));
      expect(decide(input, restored).wish).toEqual(decision.wish);
    });
  });

  test.prop([worlds], options)('nothing is planned once BIRD shows the wish', (world) => {
    playWorld(world, ({ input, decision: { wish } }) => {
      const config = { ...nodeWith([...names]), services: input.services };
      const protocols = protocolWishes(config, wish, input.overrides);
      const shown = Object.fromEntries(
        [...protocols].map(([name, { up }]) => [name, { state: up ? 'up' : 'down' } satisfies Shown]),
      );
      expect(plan(wish, protocols, birdShowing(shown))).toEqual({ steps: [], missing: [] });
    });
  });
});

/** Announced at the last tick, drained or not, and neither failed nor in its bad seconds. */
function isAnnouncedGood(tick: Tick, wish: AnnouncementWish): boolean {
  const forced = forcing(tick.input.overrides, wish)?.state;
  const was = forced ?? tick.before.wished[keyOf(wish)]?.state ?? 'announce';
  return was !== 'withdraw' && wish.state !== 'withdraw' && verdictOf(tick, wish)?.inBadSeconds === false;
}

describe('plan, from any state', () => {
  const states = fc.tuple(fc.boolean(), fc.boolean());
  const wished = fc.constantFrom('announce', 'drain', 'withdraw');
  /** How attractive the route is that the carrier gets. */
  const attraction = (announce: boolean, drain: boolean): number => (drain ? 1 : announce ? 2 : 0);
  const goal = { announce: 2, drain: 1, withdraw: 0 } as const;

  test.prop([states, wished], { numRuns: 200 })(
    'reaches the wish, plans nothing then, and no better route flashes up',
    ([announce, drain], state) => {
      const config = nodeWith(['cmi']);
      const wish: Wish = {
        announcements: [
          {
            service: 'web',
            uplink: 'cmi',
            family: 4,
            state,
            reason: 'loss',
            text: 'x',
            author: 'causeway',
            held: null,
          },
        ],
        egress: [],
      };
      const protocols = protocolWishes(config, wish, []);
      const shown = (up: boolean): Shown => ({ state: up ? 'up' : 'down' });
      const seen = () => birdShowing({ announce_cmi_web4: shown(announce), drain_cmi_web4: shown(drain) });
      const limit = Math.max(attraction(announce, drain), goal[state]);
      for (const { command, protocol } of plan(wish, protocols, seen()).steps) {
        if (protocol.startsWith('announce_')) announce = command === 'enable';
        else drain = command === 'enable';
        expect(attraction(announce, drain)).toBeLessThanOrEqual(limit);
      }
      expect(attraction(announce, drain)).toBe(goal[state]);
      expect(plan(wish, protocols, seen()).steps).toEqual([]);
    },
  );
});
