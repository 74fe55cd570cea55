/** Requirements of docs/safety.md that are the core's alone, each by its number. */
import { describe, expect, test } from 'vitest';
import { dampingModels, pointsAt } from '../../src/core/decide/damping.ts';
import { decide, type DecideInput } from '../../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { instant } from '../../src/types/units.ts';
import type { Wish } from '../../src/types/wish.ts';
import { failedAt, fleetSays, readiness, well, wellAt } from '../support/story.ts';
import { type Fact, guards, inputAt } from '../support/world.ts';

type Facts = Readonly<Record<string, Fact>>;

/** Plays the seconds from 1 on; `step` seconds between two looks. */
function playSeconds(
  seconds: number,
  factsAt: (second: number) => Facts,
  more: Partial<DecideInput>,
  check: (wish: Wish, memory: DecideMemory, second: number) => void,
  step = 1,
): void {
  let memory = emptyDecideMemory;
  for (let second = 1; second <= seconds; second += step) {
    const decision = decide(inputAt(second, factsAt(second), more), memory);
    memory = decision.memory;
    check(decision.wish, memory, second);
  }
}

const statesOf = ({ announcements }: Wish): readonly string[] =>
  announcements.map(({ state, held }) => `${state} ${held?.guard ?? ''}`.trim());

describe('safety', () => {
  test('S1: all targets of all nodes die, nobody consents, and every node keeps what it announces', () => {
    for (const node of [0, 1, 2]) {
      // Each node decides at its own moment; the others still announce, failed as they are, so none consents.
      const facts = { cmi: failedAt(10 + node), pccw: failedAt(11 + node), hkbn: failedAt(60 + node) };
      playSeconds(
        600,
        (second) => (second < 10 + node ? { cmi: well, pccw: well, hkbn: well } : facts),
        fleetSays('refused', 0),
        (wish) => expect(wish.announcements.some(({ state }) => state !== 'withdraw')).toBe(true),
        5,
      );
    }
  });

  test('S2: a fleet that is silent for an hour changes no announcement, well or not', () => {
    const faults = (second: number): Facts => ({
      cmi: second < 600 ? well : second < 1200 ? failedAt(600) : wellAt(1200),
      pccw: second < 2400 ? well : failedAt(2400),
      hkbn: second < 3000 ? well : failedAt(3000),
    });
    const alone: (readonly string[])[] = [];
    playSeconds(3600, faults, {}, (wish) => alone.push(statesOf(wish)), 10);
    const silent: (readonly string[])[] = [];
    playSeconds(3600, faults, fleetSays('silent', null), (wish) => silent.push(statesOf(wish)), 10);
    expect(silent).toEqual(alone);
  });

  test('S5: of ten uplinks that fail with no good one left, max_withdrawals leave and the rest wait', () => {
    const names = Array.from({ length: 10 }, (_, index) => `u${index}`);
    // Further apart than `together`, and all found failed by a daemon that starts.
    const facts = Object.fromEntries(names.map((name, index) => [name, failedAt(1 + 20 * index)]));
    const { wish } = decide(inputAt(1000, facts), emptyDecideMemory);
    const states = statesOf(wish);
    expect(states.filter((one) => one === 'withdraw')).toHaveLength(guards.maxWithdrawals.count);
    expect(states.filter((one) => one === 'announce rate')).toHaveLength(6);
    expect(states.filter((one) => one === 'announce last-resort')).toHaveLength(1);
  });

  test('S9: a verdict that alternates each half minute for an hour stays below suppression', () => {
    let changes = 0;
    let was = 'announce';
    playSeconds(
      3600,
      (second) => {
        const since = second - (second % 30);
        const isBad = Math.floor(second / 30) % 2 === 1;
        return { cmi: isBad ? failedAt(since) : wellAt(since), pccw: well, hkbn: well };
      },
      {},
      ({ announcements }, memory, second) => {
        const state = announcements[0]?.state ?? '';
        if (state !== was) changes += 1;
        was = state;
        const points = pointsAt(dampingModels.cisco, memory.penalties['cmi_web4'], instant(second * 1000));
        expect(points).toBeLessThan(dampingModels.cisco.suppress);
      },
    );
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(8);
  });

  test('S11: two links down and the third at 60 % loss: it stays announced, last-resort', () => {
    const facts = {
      cmi: failedAt(10, { reason: 'link-down' }),
      pccw: failedAt(20, { reason: 'link-down' }),
      hkbn: failedAt(30, { loss: 0.6 }),
    };
    const { wish } = decide(inputAt(40, facts), emptyDecideMemory);
    expect(statesOf(wish)).toEqual(['withdraw', 'withdraw', 'announce last-resort']);
  });

  test('S14: without enough samples there is no verdict, and unknown changes nothing', () => {
    const facts: Facts = {
      cmi: { health: 'unknown', reason: 'too-few-samples', loss: 1 },
      pccw: { health: 'unknown', reason: 'first-window', loss: 1 },
    };
    const { wish } = decide(inputAt(1, facts), emptyDecideMemory);
    expect(wish.announcements.map(({ state, reason }) => `${state} ${reason}`)).toEqual([
      'announce unknown-keep',
      'announce as-found',
    ]);
  });

  test('S24: of nodes that are overloaded one after the other only those leave that have consent', () => {
    const overloaded = { ...readiness('not-ready') };
    let memory = emptyDecideMemory;
    for (const second of [1, 2, 3]) {
      const decision = decide(
        inputAt(second, { cmi: well, pccw: well }, { ...overloaded, ...fleetSays('refused', 1) }),
        memory,
      );
      memory = decision.memory;
      expect(statesOf(decision.wish)).toEqual(['drain no-consent', 'drain no-consent']);
    }
  });

  test('S28: every automatic change carries reason, evidence in its sentence, and author', () => {
    const facts = { cmi: failedAt(1), pccw: { health: 'degraded', since: 1 } as const, hkbn: well };
    const { wish } = decide(inputAt(10, facts), emptyDecideMemory);
    expect(wish.announcements.map(({ reason, text, author }) => [reason, text, author])).toEqual([
      ['loss', 'failed in a test', 'causeway'],
      ['latency', 'degraded in a test', 'causeway'],
      ['healthy', 'healthy in a test', 'causeway'],
    ]);
  });
});
