/** A simulated uplink for the tests of health: seeded streams of outcomes, delivered when they would be known. */
import { createHealth } from '../../src/core/health/create-health.ts';
import { judge } from '../../src/core/health/judge.ts';
import type { HealthMemory } from '../../src/core/health/memory.ts';
import { observe } from '../../src/core/health/observe.ts';
import type { LinkFact, Transition, UplinkHealth } from '../../src/types/health.ts';
import type { Outcome, ProbeTask, Sample } from '../../src/types/outcome.ts';
import type { Policy } from '../../src/types/policy.ts';
import { instant, millis, ratio } from '../../src/types/units.ts';

export const yearMillis = 365.25 * 86_400_000;

/** The defaults of DESIGN §5, with what a test changes. */
export function policyWith(change: Partial<Policy> = {}): Policy {
  return {
    loss: { good: ratio(0.005), bad: ratio(0.05) },
    latency: { badMillis: millis(300) },
    patienceMillis: millis(5000),
    falseAlarmMillis: millis(10 * yearMillis),
    regions: { share: ratio(0.5), weights: new Map() },
    recovery: {
      cleanMillis: millis(60_000),
      holdMillis: millis(60_000),
      maxHoldMillis: millis(3_600_000),
      canary: 'off',
    },
    drain: { med: 65_000, prepend: 3, gshut: true },
    tieFamilies: false,
    ...change,
  };
}

export interface TaskPlan {
  readonly uplink?: string;
  readonly intervalMillis?: number;
  readonly timeoutMillis?: number;
  readonly gateway?: boolean;
}

/** One ICMP task per target; `layout` has the number of targets of each region. */
export function tasksOf(layout: Readonly<Record<string, number>>, plan: TaskPlan = {}): ProbeTask[] {
  const names = Object.entries(layout).flatMap(([region, count]) =>
    Array.from({ length: count }, (_, index) => ({ region, target: `${region.toLowerCase()}-${index + 1}` })),
  );
  const tasks = names.map(({ region, target }, index) => task(index, target, region, 'target', plan));
  return plan.gateway === true ? [...tasks, task(tasks.length, 'gateway', '', 'gateway', plan)] : tasks;
}

function task(
  id: number,
  target: string,
  region: string,
  kind: 'target' | 'gateway',
  plan: TaskPlan,
): ProbeTask {
  return {
    id,
    uplink: plan.uplink ?? 'cmi',
    interface: 'eth1',
    source: '223.118.10.2',
    family: 4,
    address: `198.51.100.${id + 1}`,
    target,
    region,
    class: kind,
    kind: 'icmp',
    port: 0,
    intervalMillis: millis(plan.intervalMillis ?? 200),
    timeoutMillis: millis(plan.timeoutMillis ?? 1000),
  };
}

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What happens to a probe; null: the prober is silent. */
export type Path = (task: ProbeTask, atMillis: number) => Outcome | null;

export const answered: Outcome = { kind: 'answered', rttMillis: millis(40) };
export const lost: Outcome = { kind: 'lost' };

/**
 * Loses probes in bursts over all targets together, as a carrier does (geometric lengths of that mean), and besides
 * by a share of the target's own.
 */
export function bursty(
  random: () => number,
  bursts: { readonly share: number; readonly meanProbes: number },
  own: (task: ProbeTask) => number,
): Path {
  const begins = bursts.share / bursts.meanProbes / (1 - bursts.share);
  let inBurst = false;
  return (probe) => {
    inBurst = inBurst ? random() >= 1 / bursts.meanProbes : random() < begins;
    const share = own(probe);
    return inBurst || (share > 0 && random() < share) ? lost : answered;
  };
}

/** Loses probes independently; `loss` gives the share for a task and time. */
export function lossy(random: () => number, loss: (task: ProbeTask, atMillis: number) => number): Path {
  return (probe, at) => (random() < loss(probe, at) ? lost : answered);
}

export interface World {
  readonly tasks: readonly ProbeTask[];
  readonly policy: Policy;
  readonly path: Path;
  readonly tickMillis: number;
  links: ReadonlyMap<string, LinkFact>;
  memory: HealthMemory;
  health: readonly UplinkHealth[];
  /** Everything that has changed so far, with the time of the tick. */
  readonly log: { readonly at: number; readonly change: Transition }[];
  nowMillis: number;
  /** Sent, but not known yet. */
  pending: { readonly knownAt: number; readonly sample: Sample }[];
  readonly nextAt: number[];
}

/** A world whose clock begins at `startMillis`; each target has its own phase, taken from `random`. */
export function worldOf(
  tasks: readonly ProbeTask[],
  policy: Policy,
  path: Path,
  options: {
    readonly random?: () => number;
    readonly startMillis?: number;
    readonly tickMillis?: number;
  } = {},
): World {
  const start = options.startMillis ?? 1_000_000;
  const phase = options.random ?? (() => 0.5);
  return {
    tasks,
    policy,
    path,
    tickMillis: options.tickMillis ?? 200,
    links: new Map(),
    memory: createHealth(tasks, policy, instant(start)),
    health: [],
    log: [],
    nowMillis: start,
    pending: [],
    nextAt: tasks.map((probe) => start + phase() * probe.intervalMillis),
  };
}

/** Lets time pass, tick by tick, until `untilMillis` or until `stop` says so. */
export function run(world: World, untilMillis: number, stop: () => boolean = () => false): void {
  while (world.nowMillis < untilMillis && !stop()) {
    world.nowMillis += world.tickMillis;
    send(world);
    const due = world.pending.filter(({ knownAt }) => knownAt <= world.nowMillis);
    world.pending = world.pending.filter(({ knownAt }) => knownAt > world.nowMillis);
    observe(
      world.memory,
      due.map(({ sample }) => sample),
    );
    const now = instant(world.nowMillis);
    const result = judge(world.memory, world.policy, world.links, now, now);
    world.memory = result.memory;
    world.health = result.health;
    for (const change of result.transitions) world.log.push({ at: world.nowMillis, change });
  }
}

function send(world: World): void {
  world.tasks.forEach((probe, index) => {
    for (let at = world.nextAt[index] ?? 0; at <= world.nowMillis; at += probe.intervalMillis) {
      world.nextAt[index] = at + probe.intervalMillis;
      const outcome = world.path(probe, at);
      if (outcome === null) continue;
      const sample: Sample = { task: probe.id, sentAt: instant(at), outcome };
      world.pending.push({ knownAt: timeKnown(probe, at, outcome), sample });
    }
  });
}

function timeKnown(probe: ProbeTask, at: number, outcome: Outcome): number {
  if (outcome.kind === 'answered') return at + outcome.rttMillis;
  return outcome.kind === 'lost' ? at + probe.timeoutMillis : at;
}

/** The only uplink's health. */
export function healthOf(world: World): UplinkHealth {
  const one = world.health[0];
  if (one === undefined) throw new Error('the world has not been judged yet');
  return one;
}

/** When the uplink first became `to`; null: it did not. */
export function firstAt(
  world: World,
  to: Transition['to'],
  kind: Transition['subject']['kind'] = 'uplink',
): number | null {
  return world.log.find(({ change }) => change.subject.kind === kind && change.to === to)?.at ?? null;
}
