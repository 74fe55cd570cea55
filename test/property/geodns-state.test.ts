/** What must hold for every history: no order of messages, repetitions and restarts makes an older report win. */
import { test } from '../support/property.ts';
import { array, constantFrom, integer, record } from 'fast-check';
import { describe, expect } from 'vitest';
import { availabilityOf, viewOf } from '../../geodns/decision/availability.ts';
import { choose } from '../../geodns/decision/choose.ts';
import { parseEvent } from '../../geodns/decision/events.ts';
import { heldReports } from '../../geodns/decision/guard.ts';
import { emptyState, fold, snapshot, type State } from '../../geodns/decision/state.ts';
import { families } from '../../src/types/units.ts';
import { targetsOf } from '../../geodns/rules/model.ts';
import { hear, labRules, report, told } from '../support/geodns.ts';

const target = constantFrom(...labRules.targets.keys());
const toldState = constantFrom('up' as const, 'drain' as const, 'down' as const);
const message = record({
  target,
  epoch: integer({ min: 1, max: 3 }),
  seq: integer({ min: 0, max: 20 }),
  state: toldState,
  region: toldState,
});
/** What happens: an index of a message to deliver (again), or a restart. */
const happenings = array(integer({ min: -2, max: 60 }), { maxLength: 120 });

function restart(state: State, now: number): State {
  return snapshot(state, now)
    .map((event) => parseEvent(JSON.parse(JSON.stringify(event))))
    .reduce((sum: State, event) => (event === undefined ? sum : fold(sum, event)), emptyState);
}

const runs = process.env['CAUSEWAY_TEST_FULL'] ? 10_000 : 600;

describe('order', () => {
  test.prop([array(message, { minLength: 1, maxLength: 40 }), happenings], { numRuns: runs })(
    'the newest report of each uplink stands at the end, however messages were repeated and reordered',
    (drawn, order) => {
      // One sender says one thing under one order.
      const sent = [...new Map(drawn.map((one) => [`${one.target} ${one.epoch} ${one.seq}`, one])).values()];
      let state = emptyState;
      let now = 0;
      const deliver = (one: (typeof sent)[number]): void => {
        now += 500;
        state = hear(
          state,
          one.target,
          report(one.epoch, one.seq, told(one.state, { regions: { ID: one.region } })),
          now,
        );
      };
      for (const index of order) {
        const one = sent[index % sent.length];
        if (index < 0 || one === undefined) state = restart(state, now);
        else deliver(one);
      }
      for (const one of sent) deliver(one);
      for (const [name, held] of state.records) {
        const newest = sent
          .filter((one) => one.target === name)
          .reduce((best, one) => ((one.epoch - best.epoch || one.seq - best.seq) > 0 ? one : best));
        expect(held.order).toEqual({ epoch: newest.epoch, seq: newest.seq });
        expect(held.families[4]).toEqual(told(newest.state, { regions: { ID: newest.region } }));
      }
      expect(state.records.size).toBe(new Set(sent.map((one) => one.target)).size);
    },
  );
});

describe('answers', () => {
  const pools = [...labRules.pools.values()];
  test.prop([
    array(message, { maxLength: 12 }),
    constantFrom(4 as const, 6 as const),
    constantFrom('ID', 'CN', null),
  ])(
    'are never empty, and hold a target that is down only when the ladder says so',
    (sent, family, country) => {
      const state = sent.reduce(
        (sum, one, index) =>
          hear(
            sum,
            one.target,
            report(1, index, told(one.state, { regions: { ID: one.region } })),
            index * 3_600_000,
          ),
        emptyState,
      );
      const view = viewOf(labRules, state, 1e12);
      const audience = { family, country, service: null };
      const chosen = choose(view, pools, audience);
      const addresses = chosen.answer.kind === 'all' ? chosen.answer.addresses : chosen.answer.choices;
      expect(addresses.length).toBeGreaterThan(0);
      const states = chosen.targets.map((name) => {
        const found = labRules.targets.get(name);
        return found && availabilityOf(view, found, audience).state;
      });
      if (chosen.level === 'normal' || chosen.level === 'short')
        expect(new Set(states)).toEqual(new Set(['up']));
      if (chosen.level === 'drained') expect(new Set(states)).toEqual(new Set(['drain']));
    },
  );
});

describe('guard', () => {
  test.prop([array(record({ target, gap: integer({ min: 0, max: 40_000 }) }), { maxLength: 12 })])(
    'never lets more than its share go within one window',
    (downs) => {
      let now = 0;
      let state = emptyState;
      for (const [index, down] of downs.entries()) {
        now += down.gap;
        state = hear(state, down.target, report(1, index, told('down')), now);
      }
      const held = heldReports(labRules, state, now);
      for (const family of families) {
        const most = Math.max(1, Math.floor(targetsOf(labRules, family).length / 2));
        const times = targetsOf(labRules, family)
          .filter(({ name }) => state.records.has(name) && !held.has(`${name} ${family}`))
          .map(({ name }) => state.records.get(name)?.changedAtMillis[String(family)] ?? 0);
        for (const at of times)
          expect(times.filter((time) => time <= at && at - time < 30_000).length).toBeLessThanOrEqual(most);
      }
    },
  );
});
