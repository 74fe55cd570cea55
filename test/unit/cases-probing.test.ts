/** What took programs of this kind down in public, as small inputs: what health makes of each. */
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/core/health/judge.ts';
import { observe } from '../../src/core/health/observe.ts';
import type { Outcome, ProbeTask } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
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
const after = (seconds: number) => start + seconds * 1000;
const uplinkChanges = (world: World) => world.log.filter(({ change }) => change.subject.kind === 'uplink');

describe('C2: a probe that left by another uplink', () => {
  test('is neither up nor down: the uplink is unknown as long as there are no others', () => {
    const elsewhere: Outcome = { kind: 'not-run', why: 'wrong-uplink' };
    const world = worldOf(tasksOf({ ID: 4 }), policyWith(), (_, at) =>
      at >= after(20) ? elsewhere : answered,
    );
    run(world, after(60));
    expect(healthOf(world).uplinkVerdict).toMatchObject({
      health: 'unknown',
      reason: 'not-run',
      text: expect.stringContaining('wrong-uplink'),
    });
    expect(firstAt(world, 'failed')).toBeNull();
  });
});

describe('C4: the target, not the uplink', () => {
  test('two of three targets dead on every uplink take no uplink down, and on one uplink they do', () => {
    const layout = { ID: 3 };
    const both = ['cmi', 'pccw'].flatMap((uplink, index) =>
      tasksOf(layout, { uplink }).map((task): ProbeTask => ({ ...task, id: task.id + index * 100 })),
    );
    const dead: Path = ({ target }, at) => (at >= after(30) && target !== 'id-1' ? lost : answered);
    // One target is left, and one target tells nothing of an uplink: nobody can be blamed then.
    const four = both.concat(
      ['cmi', 'pccw'].map((uplink, index): ProbeTask => {
        const [task] = tasksOf({ PH: 1 }, { uplink });
        return { ...(task as ProbeTask), id: 50 + index, address: '203.0.113.9' };
      }),
    );
    const world = worldOf(four, policyWith(), (task, at) =>
      task.region === 'PH' ? answered : dead(task, at),
    );
    run(world, after(90));
    expect(uplinkChanges(world).filter(({ change }) => change.to === 'failed')).toEqual([]);
    const alone = worldOf(tasksOf(layout), policyWith(), dead);
    run(alone, after(90));
    expect(healthOf(alone).uplinkVerdict.health).toBe('failed');
  });

  test('a first probe of each idle minute that ARP loses is no fault', () => {
    const world = worldOf(
      tasksOf({ ID: 4 }),
      policyWith(),
      (_, at) => (at % 60_000 < 200 ? lost : answered),
      {
        tickMillis: 1000,
      },
    );
    run(world, after(3600));
    expect(uplinkChanges(world).map(({ change }) => change.to)).toEqual(['healthy']);
  });

  test('full-size packets that never pass, while small ones do, are that target’s habit', () => {
    const small = tasksOf({ ID: 4 });
    const full = small.map((task): ProbeTask => {
      return { ...task, id: task.id + 50, kind: 'mtu', intervalMillis: millis(15_000) };
    });
    const world = worldOf([...small, ...full], policyWith(), ({ kind }) =>
      kind === 'mtu' ? lost : answered,
    );
    run(world, after(600));
    expect(uplinkChanges(world).map(({ change }) => change.to)).toEqual(['healthy']);
  });

  test('thirty nodes whose probes a target limits find the target bad, and no uplink', () => {
    const random = randomOf(4);
    const limited = lossy(random, ({ target }) => (target === 'id-1' ? 0.6 : 0));
    const world = worldOf(tasksOf({ ID: 4 }), policyWith(), limited);
    run(world, after(600));
    expect(uplinkChanges(world).map(({ change }) => change.to)).toEqual(['healthy']);
    expect(healthOf(world).targets.get('id-1')?.health).toBe('failed');
  });
});

describe('C6: unknown is not healthy, and nothing flips by itself', () => {
  test('a start knows nothing until the first window is full, whatever the first probes say', () => {
    for (const first of [answered, lost]) {
      const world = worldOf(tasksOf({ ID: 4 }), policyWith(), () => first);
      run(world, after(5));
      expect(healthOf(world).uplinkVerdict).toMatchObject({ health: 'unknown', reason: 'first-window' });
      expect(world.log).toEqual([]);
    }
  });

  test('loss that swings around the limit turns the verdict once, not with each swing', () => {
    const random = randomOf(9);
    const swinging = lossy(random, (_, at) =>
      at < after(30) ? 0 : Math.floor(at / 20_000) % 2 === 0 ? 0.049 : 0.051,
    );
    const world = worldOf(tasksOf({ ID: 4 }), policyWith(), swinging);
    run(world, after(1200));
    expect(uplinkChanges(world).map(({ change }) => change.to)).toEqual(['healthy', 'failed']);
  });

  test('a hundred equal judgements change nothing and are the same object', () => {
    const world = worldOf(tasksOf({ ID: 4 }), policyWith(), () => answered);
    run(world, after(30));
    const now = instant(world.nowMillis);
    const [before] = world.health;
    for (let again = 0; again < 100; again += 1) {
      const result = judge(observe(world.memory, []), world.policy, new Map(), now, now);
      expect(result.transitions).toEqual([]);
      expect(result.health[0]).toBe(before);
    }
  });

  test('a reload in the middle of a fault keeps it: the verdict stands, and its clean run begins where it began', () => {
    const fault: Path = (_, at) => (at >= after(20) && at < after(40) ? lost : answered);
    const plain = worldOf(tasksOf({ ID: 4 }), policyWith(), fault);
    const reloaded = worldOf(tasksOf({ ID: 4 }), policyWith(), fault);
    for (const seconds of [35, 60, 90, 130]) {
      run(plain, after(seconds));
      run(reloaded, after(seconds));
      // The same policy in a new object is what a reload makes.
      Object.assign(reloaded, { policy: policyWith() });
    }
    const changes = (world: World) => uplinkChanges(world).map(({ at, change }) => [at, change.to]);
    expect(changes(reloaded)).toEqual(changes(plain));
  });
});
