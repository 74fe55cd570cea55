/** A restart goes on where it was, and a checkpoint that cannot be trusted is refused as a whole. */
import { describe, expect, test } from 'vitest';
import { checkpoint } from '../../src/core/health/checkpoint.ts';
import { judge } from '../../src/core/health/judge.ts';
import { restoreHealth } from '../../src/core/health/restore-health.ts';
import type { ProbeTask } from '../../src/types/outcome.ts';
import { instant, millis, ratio } from '../../src/types/units.ts';
import { answered, healthOf, lost, policyWith, run, tasksOf, worldOf } from './health-world.ts';

const start = 1_000_000;
const fault = start + 20_000;
const five = { ID: 2, PH: 2, MY: 2, VN: 2, SG: 2 };

function failedWorld() {
  const path = (task: ProbeTask, at: number) => (task.class === 'target' && at >= fault ? lost : answered);
  const world = worldOf(tasksOf(five, { gateway: true }), policyWith(), path);
  run(world, fault + 8000);
  return world;
}

/** Puts the world on the memory that comes back after `awayMillis` without daemon and prober. */
function restart(world: ReturnType<typeof failedWorld>, awayMillis: number): void {
  const text = checkpoint(world.memory);
  world.nowMillis += awayMillis;
  world.nextAt.forEach((at, index) => {
    world.nextAt[index] = at + awayMillis;
  });
  world.pending = [];
  const memory = restoreHealth(text, world.tasks, world.policy, instant(world.nowMillis));
  if (memory === null) throw new Error('the checkpoint was refused');
  world.memory = memory;
}

describe('a restart', () => {
  test('keeps a failed uplink failed, with the sentence and time of its decision', () => {
    const world = failedWorld();
    const { health, reason, text, since } = healthOf(world).uplinkVerdict;
    restart(world, 4000);
    run(world, world.nowMillis + 200);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health, reason, text, since });
    expect(health).toBe('failed');
  });

  test('counts the first window across it', () => {
    const world = worldOf(tasksOf(five), policyWith(), () => answered);
    run(world, start + 4000);
    restart(world, 2000);
    run(world, start + 6800);
    expect(healthOf(world).uplinkVerdict.reason).toBe('first-window');
    run(world, start + 7400);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('does not take its own time away for silence of the prober', () => {
    const world = worldOf(tasksOf(five), policyWith(), () => answered);
    run(world, start + 20_000);
    restart(world, 9000);
    run(world, world.nowMillis + 400);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });
});

describe('a checkpoint', () => {
  const world = failedWorld();
  const text = checkpoint(world.memory);
  const now = instant(world.nowMillis);
  const restore = (one: string, at = now, policy = world.policy) =>
    restoreHealth(one, world.tasks, policy, at);

  test('is the same text again after it was restored', () => {
    const memory = restore(text);
    expect(memory === null ? null : checkpoint(memory)).toBe(text);
  });

  test('of a moment of the future or older than 10 s is refused', () => {
    expect(restore(text, instant(now + 10_000))).not.toBeNull();
    expect(restore(text, instant(now + 10_001))).toBeNull();
    expect(restore(text, instant(now - 1))).toBeNull();
  });

  test('that is cut anywhere, changed in a character, or empty is refused', () => {
    for (let length = 0; length < text.length; length += 997)
      expect(restore(text.slice(0, length))).toBeNull();
    for (let place = 0; place < text.length; place += 997) {
      const changed = `${text.slice(0, place)}${text[place] === '1' ? '2' : '1'}${text.slice(place + 1)}`;
      expect(restore(changed)).toBeNull();
    }
    expect(restore(text.replace('causeway-health-2', 'causeway-health-1'))).toBeNull();
    expect(restore('{}\n{}')).toBeNull();
  });

  test('with cells of another length is refused', () => {
    expect(restore(text, now, policyWith({ patienceMillis: millis(0) }))).toBeNull();
  });

  test('carries over what is still in a changed plan', () => {
    const tasks = tasksOf({ ...five, TH: 1 }, { gateway: true });
    const memory = restoreHealth(text, tasks, world.policy, now);
    if (memory === null) throw new Error('refused');
    const { health } = judge(memory, world.policy, new Map(), now, now);
    expect(health[0]?.uplinkVerdict.health).toBe('failed');
    expect(health[0]?.regions.get('PH')?.health).toBe('failed');
    expect(health[0]?.regions.get('TH')?.reason).toBe('too-few-samples');
    expect(health[0]?.targets.get('th-1')?.reason).toBe('first-window');
  });
});

test('another policy keeps the decided verdicts and recovers by its own rules', () => {
  const world = worldOf(tasksOf(five), policyWith(), (_, at) =>
    at >= fault && at < fault + 10_000 ? lost : answered,
  );
  run(world, fault + 20_000);
  const recovery = {
    cleanMillis: millis(30_000),
    holdMillis: millis(0),
    maxHoldMillis: millis(0),
    canary: 'off',
  } as const;
  const policy = policyWith({ recovery, regions: { share: ratio(0.6), weights: new Map() } });
  const judged = judge(world.memory, policy, new Map(), instant(world.nowMillis), instant(world.nowMillis));
  expect(judged.health[0]?.uplinkVerdict.health).toBe('failed');
  const next = { ...world, policy, memory: judged.memory };
  run(next, fault + 38_000);
  expect(healthOf(next).uplinkVerdict.health).toBe('failed');
  run(next, fault + 42_000);
  expect(healthOf(next).uplinkVerdict.health).toBe('healthy');
});
