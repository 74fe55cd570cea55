/** Each rule of the verdicts, on simulated uplinks without chance: what is lost is lost by a fixed pattern. */
import { describe, expect, test } from 'vitest';
import type { Outcome, ProbeTask } from '../../src/types/outcome.ts';
import { instant, millis, ratio } from '../../src/types/units.ts';
import { judge } from '../../src/core/health/judge.ts';
import { observe } from '../../src/core/health/observe.ts';
import {
  type Path,
  answered,
  firstAt,
  healthOf,
  lost,
  lossy,
  policyWith,
  randomOf,
  run,
  tasksOf,
  worldOf,
} from './health-world.ts';

const start = 1_000_000;
const fault = start + 20_000;
const one = { ID: 4 };
const five = { ID: 2, PH: 2, MY: 2, VN: 2, SG: 2 };
const slow: Outcome = { kind: 'answered', rttMillis: millis(440) };
const notRun: Outcome = { kind: 'not-run', why: 'interface-down' };

/** Bad outcomes for the tasks and the time that fit, else answers. */
function pathOf(fits: (task: ProbeTask, at: number) => boolean, bad: Outcome | null = lost): Path {
  return (task, at) => (fits(task, at) ? bad : answered);
}

function worldWith(layout: Readonly<Record<string, number>>, path: Path, policy = policyWith()) {
  return worldOf(tasksOf(layout, { gateway: true }), policy, path);
}

const isTarget = (task: ProbeTask) => task.class === 'target';

describe('the first window', () => {
  test('gives no verdict before patience, timeout and a second of observation', () => {
    const world = worldWith(
      one,
      pathOf(() => false),
    );
    run(world, start + 6800);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'unknown', reason: 'first-window' });
    expect(world.log).toEqual([]);
    run(world, start + 7400);
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'healthy',
      reason: 'healthy',
      text: 'loss 0 %, 40 ms median on 4 targets',
    });
    expect(world.log[0]?.change).toMatchObject({
      subject: { kind: 'uplink' },
      from: 'unknown',
      to: 'healthy',
    });
  });

  test('hides a fault that is there from the start, and then shows it', () => {
    const world = worldWith(one, pathOf(isTarget));
    run(world, start + 6800);
    expect(healthOf(world).uplinkVerdict.health).toBe('unknown');
    run(world, start + 7600);
    expect(healthOf(world).uplinkVerdict.health).toBe('failed');
  });

  test('begins with the first counted probe, not with the daemon', () => {
    const world = worldWith(
      one,
      pathOf((_, at) => at < start + 10_000, null),
    );
    run(world, start + 16_000);
    expect(healthOf(world).uplinkVerdict.reason).toBe('first-window');
    run(world, start + 18_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });
});

describe('loss', () => {
  test('of everything beyond the gateway fails the uplink after five bad cells, and says that the gateway answers', () => {
    const world = worldWith(
      five,
      pathOf((task, at) => isTarget(task) && at >= fault),
    );
    run(world, fault + 5800);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, fault + 6400);
    const { uplinkVerdict, gateway } = healthOf(world);
    expect(uplinkVerdict).toMatchObject({ health: 'failed', reason: 'loss' });
    expect(uplinkVerdict.text).toBe(
      'loss 100 % on 10 of 10 targets in 5 s, gateway answers: the fault lies in the carrier, near us',
    );
    expect(gateway?.health).toBe('healthy');
  });

  test('of 20 % on every target fails the uplink', () => {
    const random = randomOf(7);
    const world = worldWith(
      five,
      lossy(random, (task, at) => (isTarget(task) && at >= fault ? 0.2 : 0)),
    );
    run(world, fault + 12_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'failed' });
  });

  test('of a blip shorter than the patience changes nothing, but shows as bad seconds', () => {
    const world = worldWith(
      one,
      pathOf((task, at) => isTarget(task) && at >= fault && at < fault + 3000),
    );
    run(world, fault);
    expect(healthOf(world).uplinkVerdict.inBadSeconds).toBe(false);
    run(world, fault + 4400);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'healthy', inBadSeconds: true });
    run(world, fault + 60_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'healthy', inBadSeconds: false });
    expect(firstAt(world, 'failed')).toBeNull();
  });

  test('of the gateway alone fails the gateway and leaves the uplink healthy', () => {
    const world = worldWith(
      one,
      pathOf((task, at) => task.class === 'gateway' && at >= fault),
    );
    run(world, fault + 20_000);
    expect(healthOf(world).gateway?.health).toBe('failed');
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('keeps the sentence of the decision while the fault lasts', () => {
    const world = worldWith(
      one,
      pathOf((task, at) => isTarget(task) && at >= fault),
    );
    run(world, fault + 6400);
    const { text, since } = healthOf(world).uplinkVerdict;
    run(world, fault + 30_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      text,
      since,
      evidence: { loss: 1, badTargets: 4 },
    });
    expect(world.log.filter(({ change }) => change.subject.kind === 'uplink')).toHaveLength(2);
  });
});

describe('leaving one out', () => {
  const dead =
    (...names: string[]) =>
    (task: ProbeTask, at: number) =>
      at >= fault && (names.includes(task.target) || (isTarget(task) && names.includes(task.region)));

  test.each([
    { name: 'one of four targets in one region', layout: one, names: ['id-1'] },
    { name: 'one target of a region with two', layout: five, names: ['id-1'] },
    { name: 'one target in each of two regions', layout: five, names: ['id-1', 'ph-2'] },
    { name: 'one region of five', layout: five, names: ['ID'] },
    { name: 'two regions of five in the same second', layout: five, names: ['ID', 'PH'] },
    { name: 'one of two regions with a single target', layout: { ID: 1, PH: 1, MY: 1 }, names: ['ID'] },
  ])('a dead $name leaves the uplink healthy', ({ layout, names }) => {
    const world = worldWith(layout, pathOf(dead(...names)));
    run(world, fault + 90_000);
    expect(firstAt(world, 'failed')).toBeNull();
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('a dead target fails alone, and its region does not', () => {
    const world = worldWith(five, pathOf(dead('id-1')));
    run(world, fault + 30_000);
    expect(healthOf(world).targets.get('id-1')).toMatchObject({ health: 'failed', reason: 'loss' });
    expect(healthOf(world).regions.get('ID')?.health).toBe('healthy');
  });

  test('a dead region fails with its name in the sentence', () => {
    const world = worldWith(five, pathOf(dead('ID')));
    run(world, fault + 10_000);
    expect(healthOf(world).regions.get('ID')).toMatchObject({ health: 'failed', reason: 'loss' });
    expect(healthOf(world).regions.get('ID')?.text).toBe('loss 100 % on 2 of 2 targets in ID in 5 s');
  });

  test('a second blip everywhere does not fail an uplink that has a dead target in two regions', () => {
    const rotten = dead('id-1', 'ph-2');
    const blip = fault + 90_000;
    const world = worldWith(
      five,
      pathOf((task, at) => rotten(task, at) || (isTarget(task) && at >= blip && at < blip + 1500)),
    );
    run(world, blip + 30_000);
    expect(firstAt(world, 'failed')).toBeNull();
  });

  test.each([
    {
      name: 'three of five',
      names: ['ID', 'PH', 'MY'],
      weights: new Map<string, number>(),
      expected: 'failed',
    },
    {
      name: 'one of five with the weight of four',
      names: ['ID'],
      weights: new Map([['ID', 4]]),
      expected: 'failed',
    },
    {
      name: 'two of five without weight',
      names: ['ID', 'PH'],
      weights: new Map([
        ['ID', 0.1],
        ['PH', 0.1],
      ]),
      expected: 'healthy',
    },
  ])('$name dead regions make the uplink $expected', ({ names, weights, expected }) => {
    const policy = policyWith({ regions: { share: ratio(0.5), weights } });
    const world = worldWith(five, pathOf(dead(...names)), policy);
    run(world, fault + 12_000);
    expect(healthOf(world).uplinkVerdict.health).toBe(expected);
  });

  test.each([
    { names: ['ID', 'PH'], expected: 'healthy' },
    { names: ['ID', 'PH', 'MY'], expected: 'failed' },
  ])(
    'of five regions with a single target each, $names dead make the uplink $expected',
    ({ names, expected }) => {
      const world = worldWith({ ID: 1, PH: 1, MY: 1, VN: 1, SG: 1 }, pathOf(dead(...names)));
      run(world, fault + 30_000);
      expect(healthOf(world).uplinkVerdict.health).toBe(expected);
      // Regions without verdicts cannot be the reason.
      expect(healthOf(world).uplinkVerdict.reason).not.toBe('regions');
    },
  );

  test('regions that die one after the other fail the uplink when they reach the share, with that reason', () => {
    const times = new Map([
      ['ID', fault],
      ['PH', fault + 30_000],
      ['MY', fault + 60_000],
    ]);
    const world = worldWith(
      five,
      pathOf((task, at) => isTarget(task) && at >= (times.get(task.region) ?? Infinity)),
    );
    run(world, fault + 60_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, fault + 70_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'failed',
      reason: 'regions',
      text: '3 of 5 regions failed (ID, PH, MY): share 60 %, limit 50 %',
    });
  });

  test.each([
    { layout: { ID: 2 }, uplink: 'unknown', region: 'healthy' },
    { layout: { ID: 1, PH: 1 }, uplink: 'unknown', region: 'unknown' },
    { layout: { ID: 1, PH: 1, MY: 1 }, uplink: 'healthy', region: 'unknown' },
    { layout: { ID: 3 }, uplink: 'healthy', region: 'healthy' },
  ])('with targets $layout the uplink is $uplink and the region $region', ({ layout, uplink, region }) => {
    const world = worldWith(
      layout,
      pathOf(() => false),
    );
    run(world, start + 20_000);
    expect(healthOf(world).uplinkVerdict.health).toBe(uplink);
    expect(healthOf(world).regions.get('ID')?.health).toBe(region);
    if (uplink === 'unknown') expect(healthOf(world).uplinkVerdict.reason).toBe('too-few-samples');
  });
});

describe('slowness', () => {
  test('of everything degrades the uplink, and it ends after a clean minute', () => {
    const world = worldWith(
      five,
      pathOf((task, at) => isTarget(task) && at >= fault && at < fault + 20_000, slow),
    );
    run(world, fault + 12_000);
    expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'degraded', reason: 'latency' });
    expect(healthOf(world).uplinkVerdict.text).toMatch(/^4[34]\d ms median, limit 300 ms on 10 targets$/);
    run(world, fault + 78_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('degraded');
    run(world, fault + 84_000);
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });

  test('of two regions of five degrades these, not the uplink', () => {
    const world = worldWith(
      five,
      pathOf((task, at) => at >= fault && ['ID', 'PH'].includes(task.region), slow),
    );
    run(world, fault + 40_000);
    expect(healthOf(world).regions.get('PH')?.health).toBe('degraded');
    expect(firstAt(world, 'degraded')).toBeNull();
  });
});

describe('an outcome that comes too late', () => {
  test('is ignored and undoes nothing', () => {
    const world = worldWith(
      one,
      pathOf((task, at) => isTarget(task) && at >= fault),
    );
    run(world, fault + 8000);
    const before = healthOf(world);
    const samples = world.tasks.flatMap(({ id }) =>
      Array.from({ length: 40 }, (_, index) => ({
        task: id,
        sentAt: instant(fault + index * 100),
        outcome: answered,
      })),
    );
    observe(world.memory, samples);
    const now = instant(world.nowMillis);
    expect(judge(world.memory, world.policy, world.links, now, now).health[0]).toBe(before);
    expect(world.memory.ignored).toBeGreaterThanOrEqual(samples.length);
  });

  test('is not made by a daemon that was late to read: cells are closed by the time of the latest batch', () => {
    const world = worldWith(
      one,
      pathOf(() => false),
    );
    run(world, start + 10_000);
    const stalledAt = world.nowMillis;
    const late = instant(stalledAt + 2500);
    world.memory = judge(world.memory, world.policy, world.links, late, instant(stalledAt)).memory;
    run(world, stalledAt + 5000);
    expect(world.memory.ignored).toBe(0);
    expect(healthOf(world).uplinkVerdict.evidence.answered).toBe(200);
  });
});

test('not-run outcomes count against nobody', () => {
  const world = worldWith(one, (task, at) => (at >= fault && task.id % 2 === 0 ? notRun : answered));
  run(world, fault + 20_000);
  const { uplinkVerdict, targets } = healthOf(world);
  expect(uplinkVerdict).toMatchObject({ health: 'healthy', evidence: { lost: 0, notRun: 100 } });
  expect(targets.get('id-1')).toMatchObject({
    health: 'unknown',
    reason: 'not-run',
    text: 'no probe could be sent on eth1: interface-down',
  });
});
