/** What decide and plan promise in any world: many random ones, several ticks each. */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { protocolWishes } from '../../src/core/plan/protocols.ts';
import type { Override } from '../../src/types/override.ts';
import { millis } from '../../src/types/units.ts';
import type { AnnouncementWish, Wish } from '../../src/types/wish.ts';
import { birdShowing, type Shown } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';
import { type Fact, inputAt } from '../support/world.ts';

const names = ['cmi', 'pccw', 'hkbn'];
const numRuns = process.env['CAUSEWAY_TEST_FULL'] === '1' ? 30_000 : 600;

const fact: fc.Arbitrary<Fact> = fc.record({
  health: fc.constantFrom('unknown', 'healthy', 'degraded', 'failed'),
  since: fc.integer({ min: 0, max: 400 }),
  inBadSeconds: fc.boolean(),
  loss: fc.double({ min: 0, max: 1, noNaN: true }),
  gateway: fc.constantFrom('healthy', 'failed'),
});
const session = fc.constantFrom('up', 'up', 'up', 'down', 'unknown');
const override = fc.constantFrom(null, null, null, 'announce', 'withdraw', 'drain');

const moment = fc.record({
  facts: fc.tuple(fact, fact, fact),
  sessions: fc.tuple(session, session, session),
  overrides: fc.tuple(override, override, override),
  seconds: fc.integer({ min: 1, max: 120 }),
});
const worlds = fc.record({
  moments: fc.array(moment, { minLength: 1, maxLength: 8 }),
  keepUplinks: fc.integer({ min: 0, max: 3 }),
});
type World = {
  moments: readonly (typeof moment extends fc.Arbitrary<infer M> ? M : never)[];
  keepUplinks: number;
};

function overridesOf(states: readonly (Override['state'] | null)[]): readonly Override[] {
  return states.flatMap((state, index): Override[] => {
    const uplink = names[index] ?? '';
    const subject = { kind: 'announcement', service: 'web', uplink, family: 4 } as const;
    return state === null ? [] : [{ subject, state, author: 'ops', reason: 'x', at: '', expires: null }];
  });
}

/** Plays a world and hands each tick's input, wish and the wish before to `check`. */
function play(
  world: World,
  check: (input: DecideInput, wish: Wish, before: DecideMemory, facts: readonly Fact[]) => void,
): void {
  let memory = emptyDecideMemory;
  let now = 400;
  for (const { facts, sessions, overrides, seconds } of world.moments) {
    now += seconds;
    const input = inputAt(now, Object.fromEntries(facts.map((one, index) => [names[index], one])), {
      guards: { keepUplinks: world.keepUplinks, togetherMillis: millis(15_000) },
      sessions: new Map(sessions.map((one, index) => [`${names[index]}4`, one])),
      overrides: overridesOf(overrides),
    });
    const before = memory;
    const decision = decide(input, before);
    memory = decision.memory;
    check(input, decision.wish, before, facts);
  }
}

const options = { numRuns };

describe('decide, in any world', () => {
  test.prop([worlds], options)('an override always holds', (world) => {
    play(world, (input, wish) => {
      for (const { subject, state } of input.overrides) {
        if (subject.kind !== 'announcement') continue;
        expect(wish.announcements.find((one) => one.uplink === subject.uplink)?.state).toBe(state);
      }
    });
  });

  test.prop([worlds], options)('link verdicts never leave the node without an announcement', (world) => {
    play(world, (input, wish) => {
      if (world.keepUplinks === 0) return;
      const free = wish.announcements.filter(
        (one) => !isOverridden(input, one) && input.sessions.get(`${one.uplink}4`) !== 'down',
      );
      const carried = wish.announcements.filter(
        (one) => one.state !== 'withdraw' && input.sessions.get(`${one.uplink}4`) !== 'down',
      );
      const canReturn = free.filter((one) =>
        input.health.some((h) => h.uplink === one.uplink && h.uplinkVerdict.reason !== 'link-down'),
      );
      if (canReturn.length > 0) expect(carried).not.toEqual([]);
    });
  });

  test.prop([worlds], options)('a failed uplink leaves at once while a good one is announced', (world) => {
    play(world, (input, wish, before, facts) => {
      const good = names.filter((name, index) => isGoodAnnounced(input, before, name, facts[index]));
      const enough = good.length >= world.keepUplinks && good.length > 0;
      for (const one of wish.announcements) {
        const health = facts[names.indexOf(one.uplink)]?.health;
        if (!enough || health !== 'failed' || isOverridden(input, one)) continue;
        expect(one.state).toBe('withdraw');
      }
    });
  });

  test.prop([worlds], options)('unknown changes nothing by itself', (world) => {
    play(world, (input, wish, before, facts) => {
      for (const one of wish.announcements) {
        const standing = before.standing[`${one.uplink}_web4`]?.state ?? 'announce';
        if (facts[names.indexOf(one.uplink)]?.health !== 'unknown' || isOverridden(input, one)) continue;
        if (one.reason !== 'last-resort') expect(one.state).toBe(standing);
      }
    });
  });

  test.prop([worlds], options)('the order of what is known does not matter', (world) => {
    play(world, (input, wish, before) => {
      const turned = { ...input, health: input.health.toReversed(), overrides: input.overrides.toReversed() };
      expect(decide(turned, before).wish.announcements).toEqual(wish.announcements);
    });
  });

  test.prop([worlds], options)('what is held says which guard, why and what ends it', (world) => {
    play(world, (_input, wish) => {
      for (const { held, text, author } of wish.announcements) {
        expect(text).not.toBe('');
        expect(author).not.toBe('');
        if (held !== null) expect(held.until !== null || held.text !== '').toBe(true);
      }
    });
  });
});

function isOverridden(input: DecideInput, wish: AnnouncementWish): boolean {
  return input.overrides.some(
    ({ subject }) => subject.kind === 'announcement' && subject.uplink === wish.uplink,
  );
}

function isGoodAnnounced(
  input: DecideInput,
  before: DecideMemory,
  name: string,
  measured: Fact | undefined,
): boolean {
  const forced = input.overrides.find(
    ({ subject }) => subject.kind === 'announcement' && subject.uplink === name,
  )?.state;
  const state = forced ?? before.standing[`${name}_web4`]?.state ?? 'announce';
  const well = measured?.health === 'healthy' || measured?.health === 'degraded';
  return (
    state !== 'withdraw' &&
    well &&
    measured.inBadSeconds !== true &&
    input.sessions.get(`${name}4`) !== 'down'
  );
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
