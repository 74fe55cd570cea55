/** A policy in simulated worlds: what it does there, and what it costs users. */
import { describe, expect, test } from 'vitest';
import { badShare, suffers } from '../../src/core/replay/fault.ts';
import { faultsOver, simulatedScenarios, type SimulatedScenario } from '../../src/core/replay/scenarios.ts';
import { type Simulation, simulate } from '../../src/core/replay/simulate.ts';
import { millis } from '../../src/types/units.ts';
import { deadFrom, runConfig, tasksOfNode } from './replay-world.ts';
import type { RunConfig } from '../../src/core/replay/run.ts';

const full = process.env['CAUSEWAY_TEST_FULL'] === '1';
const minute = 60_000;

function scenarioNamed(name: string): SimulatedScenario {
  const found = simulatedScenarios.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

function played(name: string, minutes: number, config: RunConfig = runConfig()): Simulation {
  const scenario = scenarioNamed(name);
  return simulate({ config, tasks: tasksOfNode(), scenario, seed: 3, lengthMillis: minutes * minute });
}

describe('simulate', () => {
  test('the same seed gives the same simulation, another one another', () => {
    const options = { config: runConfig(), tasks: tasksOfNode(), lengthMillis: 2 * minute };
    const of = (seed: number): string =>
      JSON.stringify(simulate({ ...options, scenario: scenarioNamed('flapping'), seed }));
    expect(of(5)).toBe(of(5));
    const place = { uplinks: options.config.uplinks };
    const faultsOf = (seed: number) => faultsOver(scenarioNamed('black-hole'), place, seed, 60 * minute);
    expect(faultsOf(5)[0]?.fromMillis).not.toBe(faultsOf(6)[0]?.fromMillis);
  });

  test('a black hole is withdrawn once, in time, and users are spared almost all of it', () => {
    const { totals, changes, faults } = played('black-hole', 22);
    expect(totals).toMatchObject({ withdrawals: 1, falseWithdrawals: 0, darkMinutes: 0 });
    const leaves = changes.find(({ wish }) => wish.state === 'withdraw');
    expect(leaves?.wish.uplink).toBe('cmi');
    expect((leaves?.atMillis ?? Infinity) - (faults[0]?.fromMillis ?? 0)).toBeLessThan(8000);
    // A third of the users for ten minutes, but for the seconds until the verdict.
    expect(totals.badMinutesWithout).toBeCloseTo(10 / 3, 1);
    expect(totals.badMinutesWith).toBeLessThan(0.1);
  });

  test.each(['ambient', 'bursts', 'target-dead', 'rate-limited'])('%s withdraws nothing', (name) => {
    const { totals } = played(name, full ? 24 * 60 : 3);
    expect(totals).toMatchObject({
      withdrawals: 0,
      falseWithdrawals: 0,
      badMinutesWithout: 0,
      darkMinutes: 0,
    });
  });

  test('uplinks that fail together stay announced: nobody is better off in the dark', () => {
    const { totals, changes } = played('all-together', 13);
    expect(totals).toMatchObject({ withdrawals: 0, darkMinutes: 0 });
    expect(totals.badMinutesWith).toBeCloseTo(totals.badMinutesWithout, 6);
    expect(changes.some(({ wish }) => wish.guard === 'all-bad')).toBe(true);
  });

  test('uplinks that fail one after another are withdrawn one after another, and never all', () => {
    const { totals } = played('one-after-another', 22);
    expect(totals.withdrawals).toBeGreaterThanOrEqual(2);
    expect(totals).toMatchObject({ falseWithdrawals: 0, darkMinutes: 0 });
    expect(totals.badMinutesWith).toBeLessThan(totals.badMinutesWithout / 4);
  });

  test('30 s bad and 30 s good, again and again, never makes a carrier with the usual damping suppress us', () => {
    const { policy } = runConfig();
    // As eager to return as a config may be, so that the budget and not the recovery bounds it.
    const eager = { cleanMillis: millis(1000), holdMillis: millis(0), maxHoldMillis: millis(0) };
    const eagerly = runConfig({ policy: { ...policy, recovery: { ...policy.recovery, ...eager } } });
    const { totals, changes } = played('flapping', full ? 60 : 20, eagerly);
    expect(totals.withdrawals).toBeGreaterThanOrEqual(3);
    expect(mostPenalty(changes)).toBeLessThan(2000);
    expect(totals).toMatchObject({ falseWithdrawals: 0, darkMinutes: 0 });
    // Without a budget it would be two a minute.
    expect(totals.changes).toBeLessThanOrEqual(10);
  });

  test('the same with the recovery that the program has by itself: one withdrawal, and no return meanwhile', () => {
    const { totals } = played('flapping', full ? 60 : 8);
    expect(totals).toMatchObject({ withdrawals: 1, changes: 1, falseWithdrawals: 0 });
  });
});

/** Cisco's damping as its carrier computes it: 1000 for each withdrawal of a route, halved in 15 minutes, suppressed at 2000. */
function mostPenalty(changes: Simulation['changes']): number {
  let most = 0;
  let penalty = 0;
  let at = 0;
  let before = 'announce';
  for (const { atMillis, wish } of changes.filter((one) => one.wish.uplink === 'cmi')) {
    penalty *= 2 ** (-(atMillis - at) / (15 * minute));
    at = atMillis;
    if (wish.state === 'withdraw' && before !== 'withdraw') penalty += 1000;
    before = wish.state;
    most = Math.max(most, penalty);
  }
  return most;
}

describe('what users feel', () => {
  const { policy } = runConfig();
  const users = { uplink: 'cmi', regions: ['ID', 'PH'] };

  test('is the share of bad regions; the fault of a target alone is none', () => {
    const all = deadFrom('cmi', 0, 1000);
    expect(badShare([all], users, policy, 500)).toBe(1);
    expect(badShare([all], users, policy, 1000)).toBe(0);
    expect(badShare([{ ...all, region: 'ID' }], users, policy, 500)).toBe(0.5);
    expect(badShare([{ ...all, target: 'id-1' }], users, policy, 500)).toBe(0);
    expect(badShare([{ ...all, uplink: 'pccw' }], users, policy, 500)).toBe(0);
    expect(badShare([{ ...all, loss: () => 0.01 }], users, policy, 500)).toBe(0);
    expect(badShare([{ ...all, loss: () => 0, addedMillis: 400 }], users, policy, 500)).toBe(1);
  });

  test('gateways go on answering, and losses of two faults are not added up', () => {
    const half = deadFrom('cmi', 0, 1000, 0.5);
    const target = { uplink: 'cmi', region: 'ID', target: 'id-1', class: 'target' } as const;
    expect(suffers([half, half], target, 500).loss).toBeCloseTo(0.75);
    expect(suffers([half], { ...target, class: 'gateway' }, 500).loss).toBe(0);
  });
});
