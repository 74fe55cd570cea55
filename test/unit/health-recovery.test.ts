/** How a verdict ends: by clean measuring alone, never by silence. */
import { describe, expect, test } from 'vitest';
import type { LinkFact } from '../../src/types/health.ts';
import type { ProbeTask } from '../../src/types/outcome.ts';
import { millis } from '../../src/types/units.ts';
import {
  type Path,
  answered,
  firstAt,
  healthOf,
  lost,
  policyWith,
  run,
  tasksOf,
  worldOf,
} from './health-world.ts';

const start = 1_000_000;
const fault = start + 20_000;
const healed = fault + 30_000;
const five = { ID: 2, PH: 2, MY: 2, VN: 2, SG: 2 };

const isTarget = (task: ProbeTask) => task.class === 'target';
const outage: Path = (task, at) => (isTarget(task) && at >= fault && at < healed ? lost : answered);

function worldWith(path: Path, policy = policyWith()) {
  return worldOf(tasksOf(five, { gateway: true }), policy, path);
}

function uplinkLog(world: ReturnType<typeof worldWith>): readonly string[] {
  return world.log
    .filter(({ change }) => change.subject.kind === 'uplink')
    .map(({ change }) => `${change.from} ${change.to} ${change.reason}`);
}

describe('a failed uplink', () => {
  test('is healthy again after a clean minute, once', () => {
    const world = worldWith(outage);
    run(world, healed + 3000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'failed', cleanSince: healed });
    run(world, healed + 60_800);
    expect(healthOf(world).uplinkVerdict.health).toBe('failed');
    run(world, healed + 61_600);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'healthy', cleanSince: null });
    run(world, healed + 400_000);
    expect(uplinkLog(world)).toEqual([
      'unknown healthy healthy',
      'healthy failed loss',
      'failed healthy healthy',
    ]);
  });

  test('begins its clean run anew at a bad second', () => {
    const again = healed + 40_000;
    const world = worldWith((task, at) =>
      isTarget(task) && at >= again && at < again + 1000 ? lost : outage(task, at),
    );
    run(world, again + 4000);
    expect(healthOf(world).uplinkVerdict.cleanSince).toBe(again + 1000);
    run(world, again + 61_800);
    expect(healthOf(world).uplinkVerdict.health).toBe('failed');
    run(world, again + 62_600);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('is not kept by one lost probe', () => {
    const world = worldWith((task, at) =>
      task.target === 'id-1' && at >= healed + 30_000 && at < healed + 30_200 ? lost : outage(task, at),
    );
    run(world, healed + 61_600);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('is not kept by one target that stays dead', () => {
    const world = worldWith((task, at) => (task.target === 'id-1' && at >= fault ? lost : outage(task, at)));
    run(world, healed + 61_800);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, healed + 200_000);
    expect(uplinkLog(world)).toHaveLength(3);
  });

  test('recovers in seconds with a short clean time, and does not fail again by its old cells', () => {
    const recovery = {
      cleanMillis: millis(3000),
      holdMillis: millis(3000),
      maxHoldMillis: millis(60_000),
      canary: 'off',
    } as const;
    const world = worldWith(outage, policyWith({ recovery }));
    run(world, healed + 5000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, healed + 120_000);
    expect(uplinkLog(world)).toHaveLength(3);
  });

  test('is not made by two regions that come back together: their bad cells were their own matter', () => {
    const recovery = {
      cleanMillis: millis(3000),
      holdMillis: millis(3000),
      maxHoldMillis: millis(60_000),
      canary: 'off',
    } as const;
    const regional: Path = (task, at) => (['ID', 'PH'].includes(task.region) ? outage(task, at) : answered);
    const world = worldWith(regional, policyWith({ recovery }));
    run(world, healed);
    expect(healthOf(world).regions.get('ID')?.health).toBe('failed');
    run(world, healed + 60_000);
    expect(healthOf(world).regions.get('ID')?.health).toBe('healthy');
    expect(firstAt(world, 'failed')).toBeNull();
  });

  test('stays failed while half of its regions are, and returns when fewer are', () => {
    const world = worldWith((task, at) => {
      if (!isTarget(task) || at < fault) return answered;
      if (['ID', 'PH'].includes(task.region)) return lost;
      return task.region === 'MY' && at < healed ? lost : answered;
    });
    run(world, healed + 50_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('failed');
    run(world, healed + 61_800);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, healed + 300_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('with 1.9 % loss left, evenly spread, is not clean', () => {
    let count = 0;
    const world = worldWith((task, at) => {
      if (at < healed || !isTarget(task)) return outage(task, at);
      count += 1;
      return count % 53 === 0 ? lost : answered;
    });
    run(world, healed + 120_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'failed' });
  });
});

describe('silence', () => {
  const silent =
    (from: number, to: number, path: Path): Path =>
    (task, at) =>
      at >= from && at < to ? null : path(task, at);

  test('makes a healthy uplink unknown within 3 s and a bit, and healthy again with the samples', () => {
    const world = worldWith(silent(fault, fault + 8000, () => answered));
    run(world, fault + 2800);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, fault + 3400);
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'unknown',
      reason: 'prober-silent',
      text: 'no outcome from the prober for 3 s',
    });
    run(world, fault + 9000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('does not end a failure: it stands again when samples count again', () => {
    const world = worldWith(
      silent(fault + 10_000, fault + 60_000, (task, at) =>
        isTarget(task) && at >= fault && at < fault + 10_000 ? lost : answered,
      ),
    );
    run(world, fault + 50_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'unknown', reason: 'prober-silent' });
    run(world, fault + 62_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'failed', reason: 'loss' });
    run(world, fault + 122_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('longer than the evidence begins a new first window for a healthy uplink', () => {
    const world = worldWith(silent(fault, fault + 30_000, () => answered));
    run(world, fault + 33_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'unknown', reason: 'first-window' });
    run(world, fault + 38_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });
});

describe('the link', () => {
  const links = (fact: LinkFact) => new Map<string, LinkFact>([['cmi', fact]]);

  test('that is down fails the uplink at once, even in the first window', () => {
    const world = worldWith(() => answered);
    world.links = links('down');
    run(world, start + 200);
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'failed',
      reason: 'link-down',
      text: 'interface eth1 is down',
    });
  });

  test('that was down must measure clean before the uplink is healthy', () => {
    const world = worldWith((_, at) =>
      at >= fault && at < healed ? { kind: 'not-run', why: 'interface-down' } : answered,
    );
    run(world, fault);
    world.links = links('down');
    run(world, fault + 200);
    expect(healthOf(world).uplinkVerdict.health).toBe('failed');
    run(world, healed);
    expect(healthOf(world).uplinkVerdict.health).toBe('failed');
    world.links = links('up');
    run(world, healed + 10_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'failed', reason: 'link-down' });
    run(world, healed + 63_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('that was down puts the clean run off, whatever the cells before are when they close', () => {
    const recovery = {
      cleanMillis: millis(3000),
      holdMillis: millis(0),
      maxHoldMillis: millis(0),
      canary: 'off',
    } as const;
    const down = fault + 3000;
    // The cells that lose are closed after the link was seen down; they must not bring the clean run forward.
    const world = worldWith(
      (_, at) => (at >= down - 2000 && at < down - 1000 ? lost : answered),
      policyWith({ recovery }),
    );
    run(world, down);
    world.links = links('down');
    run(world, down + 200);
    world.links = links('up');
    run(world, down + 1200);
    expect(healthOf(world).uplinkVerdict.cleanSince).toBeNull();
    run(world, down + 5000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'failed', cleanSince: down + 1000 });
    run(world, down + 5400);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('that is missing is unknown, never failed', () => {
    const world = worldWith(() => answered);
    run(world, fault);
    world.links = links('missing');
    run(world, fault + 60_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'unknown', reason: 'not-run' });
    expect(firstAt(world, 'failed')).toBeNull();
  });
});
