/**
 * What a tick of the core costs: observe and judge the samples of 200 ms, decide, plan against BIRD's view. Every third
 * uplink is a black hole for a while and comes back, so that verdicts, guards and budgets all have work. Judged by the
 * CPU time of the process, collector and all: a machine that does other things beside makes the clock's figure larger.
 */
import { decide, type DecideInput } from '../src/core/decide/decide.ts';
import { type DecideMemory, emptyDecideMemory } from '../src/core/decide/memory.ts';
import { createHealth } from '../src/core/health/create-health.ts';
import { judge } from '../src/core/health/judge.ts';
import type { HealthMemory } from '../src/core/health/memory.ts';
import { observe } from '../src/core/health/observe.ts';
import { plan } from '../src/core/plan/plan.ts';
import { protocolWishes, type ProtocolWish } from '../src/core/plan/protocols.ts';
import { tasksOf } from '../src/core/probe-tasks.ts';
import { readConfig } from '../src/config/read.ts';
import type { BirdSeen, ProtocolSeen } from '../src/types/bird-view.ts';
import type { NodeConfig, Target, Uplink } from '../src/types/config.ts';
import type { ProbeTask, Sample } from '../src/types/outcome.ts';
import { instant, millis } from '../src/types/units.ts';
import { report } from './report.ts';

export const help = `decide [--write FILE.md] [--json]
  what a tick of the core costs: 3 uplinks with 30 targets, and 100 uplinks with 2,000 targets`;

const tickMillis = 200;

interface Size {
  readonly uplinks: number;
  /** Of all uplinks together, in one family. */
  readonly targets: number;
  readonly ticks: number;
  /** DESIGN 10; of the 99th percentile. */
  readonly limitMillis: number;
}

const sizes: readonly Size[] = [
  { uplinks: 3, targets: 30, ticks: 30_000, limitMillis: 1 },
  { uplinks: 100, targets: 2000, ticks: 3000, limitMillis: 20 },
];

interface Figures {
  readonly medianMillis: number;
  readonly p99Millis: number;
  readonly worstMillis: number;
}

interface Result extends Size {
  readonly cpu: Figures;
  readonly clock: Figures;
  /** Withdrawals and returns that were decided on the way: the work was real. */
  readonly changes: number;
}

export function run(args: readonly string[]): Promise<number> {
  const results = sizes.map((size) => measure(size));
  const passed = results.every(({ cpu, limitMillis }) => cpu.p99Millis <= limitMillis);
  report(args, { name: 'decide', text: textOf(results), json: { results, passed } });
  return Promise.resolve(passed ? 0 : 1);
}

function measure(size: Size): Result {
  const config = nodeOf(size);
  const tasks = tasksOf(config);
  let health: HealthMemory = createHealth(tasks, config.policy, instant(0));
  let memory: DecideMemory = emptyDecideMemory;
  let changes = 0;
  const clock: number[] = [];
  const cpu: number[] = [];
  for (let tick = 1; tick <= size.ticks; tick += 1) {
    const samples = samplesAt(tasks, tick);
    const now = instant(tick * tickMillis + 1300);
    const before = memory;
    const from = performance.now();
    const used = process.cpuUsage();
    const judged = judge(observe(health, samples), config.policy, new Map(), now);
    const decision = decide(inputOf(config, judged.health, now), memory);
    const protocols = protocolWishes(config, decision.wish, []);
    plan(decision.wish, protocols, viewOf(protocols));
    // The first two thirds are the compiler's: in the daemon they take an hour, here seconds.
    if (tick > (2 * size.ticks) / 3) {
      const { user, system } = process.cpuUsage(used);
      cpu.push((user + system) / 1000);
      clock.push(performance.now() - from);
    }
    health = judged.memory;
    memory = decision.memory;
    changes += decision.wish.announcements.filter(
      ({ uplink, service, family, state }) =>
        before.wished[`${uplink}_${service}${family}`]?.state !== state && tick > 1,
    ).length;
  }
  return { ...size, cpu: figuresOf(cpu), clock: figuresOf(clock), changes };
}

function figuresOf(times: readonly number[]): Figures {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { medianMillis: at(0.5), p99Millis: at(0.99), worstMillis: at(1) };
}

/** One probe of each stream in each tick; every third uplink answers nothing in the middle third of each minute. */
function samplesAt(tasks: readonly ProbeTask[], tick: number): readonly Sample[] {
  const sentAt = instant(tick * tickMillis);
  const inFault = Math.floor((tick * tickMillis) / 20_000) % 3 === 1;
  return tasks.map(({ id, uplink }) => {
    const isDead = inFault && Number(uplink.slice(1)) % 3 === 0;
    const outcome = isDead
      ? ({ kind: 'lost' } as const)
      : ({ kind: 'answered', rttMillis: millis(40 + (id % 7)) } as const);
    return { task: id, sentAt, outcome };
  });
}

function inputOf(config: NodeConfig, health: DecideInput['health'], now: DecideInput['now']): DecideInput {
  return {
    services: config.services,
    uplinks: config.uplinks,
    policy: config.policy,
    guards: config.guards,
    waitMillis: millis(7000),
    health,
    sessions: new Map(config.uplinks.map(({ name }) => [`${name}4`, 'up'])),
    usableDefaults: new Set(config.uplinks.map(({ name }) => `${name}4`)),
    overrides: [],
    readiness: new Map(),
    booting: false,
    freeze: null,
    traffic: new Map(config.uplinks.map(({ name }) => [name, 1e9])),
    fleet: null,
    now,
  };
}

/** BIRD as it would be if nothing had been done yet, so that there are steps to plan. */
function viewOf(protocols: ReadonlyMap<string, ProtocolWish>): BirdSeen {
  const shown = (name: string): ProtocolSeen => ({
    name,
    proto: 'Static',
    state: name.startsWith('drain_') ? 'down' : 'up',
    sinceMillis: 0,
    info: '',
    description: null,
    message: null,
    channels: [],
  });
  return {
    kind: 'seen',
    readAt: instant(0),
    version: '2.0.12',
    serverMillis: 0,
    bootMillis: 0,
    configuredMillis: 0,
    running: true,
    protocols: new Map([...protocols.keys()].map((name) => [name, shown(name)])),
  };
}

function nodeOf({ uplinks, targets }: Size): NodeConfig {
  const template = templateConfig();
  const [uplink] = template.uplinks;
  const [target] = uplink?.targets ?? [];
  if (uplink === undefined || target === undefined) throw new Error('the template is empty');
  const each = Math.floor(targets / uplinks);
  return {
    ...template,
    uplinks: Array.from(
      { length: uplinks },
      (_, index): Uplink => ({
        ...uplink,
        name: `u${index}`,
        targets: Array.from(
          { length: each },
          (_each, at): Target => ({
            ...target,
            name: `t${at}`,
            region: `r${at % 5}`,
            address: `198.51.${index}.${at + 1}`,
          }),
        ),
      }),
    ),
  };
}

function templateConfig(): NodeConfig {
  const result = readConfig('template.yaml', template4);
  if (result.kind === 'bad') throw new Error(result.problems.map(({ text }) => text).join('\n'));
  return result.config;
}

const template4 = `
node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
services: { web: { prefixes: [203.0.113.0/24] } }
uplinks:
  u0:
    carrier: c0
    interface: eth1
    source: 192.0.2.2
    peer: { asn: 64500, address: 192.0.2.1 }
    targets:
      - { name: t1, region: r1, ping: 198.51.100.1 }
      - { name: t2, region: r1, ping: 198.51.100.2 }
      - { name: t3, region: r2, ping: 198.51.100.3 }
`;

function textOf(results: readonly Result[]): string {
  const lines = results.flatMap(({ uplinks, targets, cpu, clock, limitMillis, changes }) => [
    `${uplinks} uplinks, ${targets} targets, ${changes} changes decided`,
    `  CPU    ${figuresText(cpu)}; reach: p99 ${limitMillis} ms`,
    `  clock  ${figuresText(clock)}`,
  ]);
  return `${lines.join('\n')}\n`;
}

function figuresText({ medianMillis, p99Millis, worstMillis }: Figures): string {
  return `median ${medianMillis.toFixed(2)} ms, p99 ${p99Millis.toFixed(2)} ms, worst ${worstMillis.toFixed(2)} ms`;
}
