/** Round trips against what is usual, jitter, full-size echoes, the fixed window, and the same target on all uplinks. */
import { describe, expect, test } from 'vitest';
import { checkpoint } from '../../src/core/health/checkpoint.ts';
import { judge } from '../../src/core/health/judge.ts';
import { restoreHealth } from '../../src/core/health/restore-health.ts';
import type { UplinkHealth } from '../../src/types/health.ts';
import type { Outcome, ProbeTask } from '../../src/types/outcome.ts';
import { instant, millis, ratio } from '../../src/types/units.ts';
import {
  type Path,
  type World,
  answered,
  firstAt,
  healthOf,
  lossy,
  lost,
  policyWith,
  randomOf,
  run,
  tasksOf,
  worldOf,
} from './health-world.ts';

const start = 1_000_000;
const four = { ID: 2, PH: 2 };

const after = (seconds: number) => start + seconds * 1000;
const took = (rtt: number): Outcome => ({ kind: 'answered', rttMillis: millis(rtt) });

/** The probes of several uplinks to the same targets. */
function tasksOfUplinks(
  uplinks: readonly string[],
  layout: Readonly<Record<string, number>> = four,
): readonly ProbeTask[] {
  return uplinks.flatMap((uplink, index) =>
    tasksOf(layout, { uplink, gateway: true }).map((task) => ({ ...task, id: task.id + index * 100 })),
  );
}

function uplinkIn(world: World, name: string): UplinkHealth {
  const one = world.health.find(({ uplink }) => uplink === name);
  if (one === undefined) throw new Error(name);
  return one;
}

describe('against what is usual', () => {
  const policy = policyWith({ latency: { badMillis: millis(300), baseline: 0.6 } });
  const jumps: Path = (task, at) => took(at < after(100) ? 40 : task.region === 'ID' ? 70 : 42);

  test('a region that slows by 75 % is degraded, long before the absolute limit, and one that slows a little is not', () => {
    const world = worldOf(tasksOf(four), policy, jumps);
    run(world, after(100));
    expect(healthOf(world).regions.get('ID')?.health).toBe('healthy');
    run(world, after(120));
    expect(healthOf(world).regions.get('ID')).toMatchObject({
      health: 'degraded',
      reason: 'latency',
      text: expect.stringMatching(/^(69|70|71) ms median, limit 64 ms on 2 targets in ID$/),
    });
    expect(healthOf(world).regions.get('PH')?.health).toBe('healthy');
    expect(healthOf(world).uplinkVerdict.health).not.toBe('failed');
  });

  test('nothing is slow by it before it is learnt, nor in a drift that takes hours', () => {
    const early = worldOf(tasksOf(four), policy, (_, at) => took(at < after(20) ? 40 : 70));
    run(early, after(50));
    expect(healthOf(early).uplinkVerdict.health).toBe('healthy');
    const drift = worldOf(tasksOf(four), policy, (_, at) => took(40 + (at - start) / 600_000), {
      tickMillis: 1000,
    });
    run(drift, after(4 * 3600));
    expect(drift.log.filter(({ change }) => change.to === 'degraded')).toEqual([]);
  });

  test('what is learnt survives a restart of the daemon', () => {
    const world = worldOf(tasksOf(four), policy, jumps);
    run(world, after(99));
    const restored = restoreHealth(checkpoint(world.memory), world.tasks, policy, instant(world.nowMillis));
    if (restored === null) throw new Error('refused');
    world.memory = restored;
    run(world, after(120));
    expect(healthOf(world).regions.get('ID')?.health).toBe('degraded');
  });
});

describe('jitter', () => {
  test('above its limit is degraded, although the median is fine', () => {
    const policy = policyWith({ jitter: { badMillis: millis(30) } });
    const random = randomOf(3);
    const world = worldOf(tasksOf(four), policy, (_, at) => took(at < after(30) ? 40 : 40 + random() * 150));
    run(world, after(30));
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, after(60));
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'degraded',
      reason: 'jitter',
      text: expect.stringMatching(/^round trips jump by more than 30 ms at a median of \d+ ms on 4 targets$/),
    });
  });

  test('within it, a single step to another path, and a kind that takes longer than the other are none', () => {
    const policy = policyWith({ jitter: { badMillis: millis(30) } });
    const icmp = tasksOf(four);
    const tcp = icmp.map((task) => Object.assign({}, task, { id: task.id + 50, kind: 'tcp', port: 443 }));
    const path: Path = ({ kind, id }, at) =>
      took(
        (at < after(60) ? 40 : 120) + (kind === 'tcp' ? 60 : 0) + (id % 3) + (Math.floor(at / 200) % 2) * 20,
      );
    const world = worldOf([...icmp, ...(tcp as ProbeTask[])], policy, path);
    run(world, after(120));
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
  });
});

describe('full-size echoes', () => {
  const plan = (uplink = 'cmi') => {
    const small = tasksOf(four, { uplink });
    const full = small.map((task): ProbeTask => {
      return { ...task, id: task.id + 50, kind: 'mtu', intervalMillis: millis(15_000) };
    });
    return [...small, ...full];
  };
  const path =
    (loses: (task: ProbeTask) => boolean, from = after(60)): Path =>
    (task, at) =>
      at >= from && task.kind === 'mtu' && loses(task) ? lost : answered;

  test('that stop on half of the targets make the uplink degraded, never failed, and healthy when they are back', () => {
    const world = worldOf(plan(), policyWith(), (task, at) =>
      at < after(200) ? path(({ region }) => region === 'ID')(task, at) : answered,
    );
    run(world, after(100));
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    run(world, after(140));
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'degraded',
      reason: 'mtu',
      text: 'packets of full size no longer reach 2 of 4 targets, small ones do',
    });
    run(world, after(260));
    expect(healthOf(world).uplinkVerdict.health).toBe('healthy');
    expect(firstAt(world, 'failed')).toBeNull();
  });

  test('that never passed, stop on one target alone, or are lost with the small ones say nothing', () => {
    for (const one of [
      path(() => true, start),
      path(({ target }) => target === 'id-1'),
      (({ region }, at) => (at >= after(60) && region === 'ID' ? lost : answered)) satisfies Path,
    ]) {
      const world = worldOf(plan(), policyWith(), one);
      run(world, after(300));
      expect(world.log.filter(({ change }) => change.reason === 'mtu')).toEqual([]);
    }
  });
});

describe('the fixed-window rule', () => {
  const policy = policyWith({ windowProbes: 200 });
  const stepTo = (loss: number): World => {
    const random = randomOf(11);
    const path = lossy(random, (_, at) => (at >= after(30) ? loss : 0));
    const world = worldOf(tasksOf({ ID: 4 }), policy, path);
    run(world, after(120));
    return world;
  };

  test('fires when more than loss.bad of the last 200 probes is lost, and not below', () => {
    expect(firstAt(stepTo(0.01), 'failed')).toBeNull();
    const at = firstAt(stepTo(0.2), 'failed') ?? Infinity;
    // 10 of 200 at 4 a second take 2.5 s, and the cell is closed 1.1 s after its end.
    expect(at - after(30)).toBeGreaterThan(2500);
    expect(at - after(30)).toBeLessThan(7000);
    expect(firstAt(stepTo(0.2), 'healthy')).toBeLessThan(after(30));
  });

  test('fires for a single dead target, which the sequential test knows better', () => {
    const path: Path = ({ target }) => (target === 'id-1' ? lost : answered);
    const plain = worldOf(tasksOf({ ID: 4 }), policyWith(), path);
    const window = worldOf(tasksOf({ ID: 4 }), policy, path);
    for (const world of [plain, window]) run(world, after(60));
    expect(firstAt(plain, 'failed')).toBeNull();
    expect(firstAt(window, 'failed')).not.toBeNull();
  });
});

describe('a target that is bad on every uplink', () => {
  const two = { ID: 4 };
  const blamed: Path = ({ target }, at) =>
    at >= after(30) && ['id-2', 'id-3'].includes(target) ? lost : answered;

  test('is its own fault: two of four that die everywhere fail no uplink, and the target says so', () => {
    const world = worldOf(tasksOfUplinks(['cmi', 'pccw'], two), policyWith(), blamed);
    run(world, after(90));
    expect(
      world.log.filter(({ change }) => change.subject.kind === 'uplink' && change.to === 'failed'),
    ).toEqual([]);
    expect(uplinkIn(world, 'cmi').targets.get('id-2')?.text).toMatch(/, on every uplink: the target itself$/);
  });

  test('is the uplink’s, where another uplink reaches it', () => {
    const world = worldOf(tasksOfUplinks(['cmi', 'pccw'], two), policyWith(), (task, at) =>
      task.uplink === 'cmi' ? blamed(task, at) : answered,
    );
    run(world, after(60));
    expect(uplinkIn(world, 'cmi').uplinkVerdict.health).toBe('failed');
    expect(uplinkIn(world, 'pccw').uplinkVerdict.health).toBe('healthy');
  });

  test('is nobody’s, where all targets are bad on all uplinks: both fail, and the guards decide', () => {
    const world = worldOf(tasksOfUplinks(['cmi', 'pccw']), policyWith(), (task, at) =>
      at >= after(30) && task.class === 'target' ? lost : answered,
    );
    run(world, after(60));
    for (const name of ['cmi', 'pccw']) expect(uplinkIn(world, name).uplinkVerdict.health).toBe('failed');
  });

  test('is the uplink’s again from the moment at which it answers elsewhere', () => {
    const world = worldOf(tasksOfUplinks(['cmi', 'pccw'], two), policyWith(), (task, at) =>
      task.uplink === 'pccw' && at >= after(90) ? answered : blamed(task, at),
    );
    run(world, after(89));
    expect(uplinkIn(world, 'cmi').uplinkVerdict.health).toBe('healthy');
    run(world, after(120));
    expect(uplinkIn(world, 'cmi').uplinkVerdict.health).toBe('failed');
  });
});

describe('the sentence of a failed uplink says where the fault lies', () => {
  const textOf = (path: Path, kinds: readonly ('icmp' | 'tcp')[] = ['icmp']): string => {
    const icmp = tasksOf(four, { gateway: true });
    const tcp = icmp
      .filter(({ class: one }) => one === 'target')
      .map((task): ProbeTask => ({ ...task, id: task.id + 50, kind: 'tcp', port: 443 }));
    const world = worldOf(kinds.includes('tcp') ? [...icmp, ...tcp] : icmp, policyWith(), (task, at) =>
      at < after(20) ? answered : path(task, at),
    );
    run(world, after(60));
    return healthOf(world).uplinkVerdict.text;
  };

  test('before the gateway, near us in the carrier, or towards a region', () => {
    expect(textOf(() => lost)).toMatch(/gateway is lost too: the fault lies between us and the gateway$/);
    expect(textOf(({ class: one }) => (one === 'gateway' ? answered : lost))).toMatch(
      /gateway answers: the fault lies in the carrier, near us$/,
    );
    const world = worldOf(
      tasksOf({ ID: 2, PH: 2, MY: 2 }, { gateway: true }),
      policyWith(),
      ({ region }, at) => (at >= after(20) && ['ID', 'PH'].includes(region) ? lost : answered),
    );
    run(world, after(60));
    expect(healthOf(world).uplinkVerdict.text).toMatch(/2 of 3 regions failed \(ID, PH\)/);
  });

  test('on one of several equal paths: echoes all or nothing, handshakes about half', () => {
    const random = randomOf(5);
    const half: Path = ({ kind, target, class: one }) => {
      if (one === 'gateway') return answered;
      if (kind === 'tcp') return random() < 0.5 ? lost : answered;
      return target.endsWith('1') ? lost : answered;
    };
    expect(textOf(half, ['icmp', 'tcp'])).toMatch(/gateway answers: one of several equal paths seems dead$/);
    const everywhere: Path = ({ class: one }) => (one === 'target' && random() < 0.5 ? lost : answered);
    expect(textOf(everywhere, ['icmp', 'tcp'])).not.toMatch(/equal paths/);
  });
});

test('counts of HTTP and DNS are of the path, their times are not', () => {
  const asked = tasksOf({ ID: 4 }).map((task, index): ProbeTask => {
    return { ...task, kind: index % 2 === 0 ? 'http' : 'dns', port: 443 };
  });
  const slow = worldOf(asked, policyWith(), () => took(900));
  run(slow, after(60));
  expect(healthOf(slow).uplinkVerdict.health).toBe('healthy');
  const dead = worldOf(asked, policyWith(), (_, at) => (at >= after(20) ? lost : took(50)));
  run(dead, after(40));
  expect(healthOf(dead).uplinkVerdict.health).toBe('failed');
});

test('a changed limit is used at once, and what is decided stands', () => {
  const world = worldOf(tasksOf({ ID: 4 }), policyWith(), () => took(40));
  run(world, after(30));
  const now = instant(world.nowMillis);
  const strict = policyWith({
    loss: { good: ratio(0.005), bad: ratio(0.05) },
    latency: { badMillis: millis(20) },
  });
  world.memory = judge(world.memory, strict, new Map(), now, now).memory;
  const other: World = { ...world, policy: strict };
  run(other, after(60));
  expect(healthOf(other).uplinkVerdict.health).toBe('degraded');
});
