/** The figures for people: windows slide, silence ages them, and a new plan keeps what it still has. */
import { describe, expect, test } from 'vitest';
import { createRolling, figuresAt, noteRolling } from '../../src/core/health/rolling.ts';
import type { ProbeTask, Sample } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
import { tasksOf } from './health-world.ts';

const tasks = tasksOf({ ID: 2, PH: 1 }, { gateway: true });
const cmi = { uplink: 'cmi', family: 4 } as const;
const start = 3_600_000;

function answersOf(
  task: number,
  seconds: readonly number[],
  rtt: (second: number) => number | null,
): Sample[] {
  return seconds.map((second) => {
    const time = rtt(second);
    return {
      task,
      sentAt: instant(start + second * 1000),
      outcome: time === null ? { kind: 'lost' } : { kind: 'answered', rttMillis: millis(time) },
    };
  });
}

const seconds = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('rolling figures', () => {
  test('are those of the last minute, five minutes and hour, of target, region and uplink', () => {
    const rolling = createRolling(tasks);
    noteRolling(
      rolling,
      answersOf(0, seconds(0, 600), (second) => (second < 300 ? 40 : 80)),
    );
    noteRolling(
      rolling,
      answersOf(1, seconds(0, 600), (second) => (second >= 570 ? null : 40)),
    );
    noteRolling(
      rolling,
      answersOf(2, seconds(0, 600), () => 200),
    );
    const at = instant(start + 599_999);
    const target = figuresAt(rolling, { ...cmi, target: 'id-1' }, at);
    expect(target['1min'].rttP50Millis).toBeCloseTo(80, -1);
    expect(target['1h'].probes).toBe(600);
    expect(target['1h'].rttP50Millis).toBeCloseTo(40, -1);
    const region = figuresAt(rolling, { ...cmi, region: 'ID' }, at);
    expect(region['1min'].loss).toBeCloseTo(30 / 120, 6);
    expect(region['5min'].loss).toBeCloseTo(30 / 600, 6);
    const uplink = figuresAt(rolling, cmi, at);
    expect(uplink['1h'].probes).toBe(1800);
    expect(uplink['1h'].rttP99Millis).toBeCloseTo(200, -2);
  });

  test('age when nothing comes any more, and are none where nothing ever came', () => {
    const rolling = createRolling(tasks);
    noteRolling(
      rolling,
      answersOf(0, seconds(0, 30), () => 40),
    );
    const later = figuresAt(rolling, { ...cmi, target: 'id-1' }, instant(start + 200_000));
    expect(later['1min']).toEqual({
      probes: 0,
      loss: null,
      rttP50Millis: null,
      rttP95Millis: null,
      rttP99Millis: null,
      jitterMillis: null,
    });
    expect(later['5min'].probes).toBe(30);
    expect(figuresAt(rolling, { ...cmi, target: 'ph-1' }, instant(start))['1h'].probes).toBe(0);
  });

  test('have the mean difference of successive answers as jitter; a loss between them is no difference', () => {
    const rolling = createRolling(tasks);
    const times = [40, 50, null, 30, 30];
    noteRolling(
      rolling,
      answersOf(0, seconds(0, 5), (second) => times[second] ?? null),
    );
    const { jitterMillis, loss } = figuresAt(rolling, { ...cmi, target: 'id-1' }, instant(start + 5000))[
      '1min'
    ];
    expect(jitterMillis).toBeCloseTo((10 + 20 + 0) / 3, 6);
    expect(loss).toBeCloseTo(0.2, 6);
  });

  test('take late and unordered outcomes where they belong, and nothing of gateways and full-size echoes', () => {
    const full: ProbeTask = { ...(tasks[0] as ProbeTask), id: 9, kind: 'mtu' };
    const rolling = createRolling([...tasks, full]);
    noteRolling(
      rolling,
      answersOf(0, [59, 3, 30], () => 40),
    );
    noteRolling(
      rolling,
      answersOf(3, seconds(0, 60), () => null),
    );
    noteRolling(
      rolling,
      answersOf(9, seconds(0, 60), () => null),
    );
    expect(figuresAt(rolling, cmi, instant(start + 59_000))['1min']).toMatchObject({ probes: 3, loss: 0 });
    noteRolling(
      rolling,
      answersOf(0, seconds(4000, 4001), () => 40),
    );
    noteRolling(
      rolling,
      answersOf(0, [10], () => 40),
    );
    expect(figuresAt(rolling, cmi, instant(start + 4_000_500))['1h'].probes).toBe(1);
  });

  test('outlive a new plan for the targets that stay', () => {
    const before = createRolling(tasks);
    noteRolling(
      before,
      answersOf(0, seconds(0, 30), () => 40),
    );
    const renumbered = tasks.map((task) => Object.assign({}, task, { id: task.id + 10 }));
    const rolling = createRolling(renumbered, before);
    noteRolling(
      rolling,
      answersOf(10, seconds(30, 40), () => 40),
    );
    expect(figuresAt(rolling, { ...cmi, target: 'id-1' }, instant(start + 40_000))['1min'].probes).toBe(40);
  });
});
