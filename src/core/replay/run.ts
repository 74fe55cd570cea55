/**
 * The core driven by given inputs: health, then decide, in the order of the daemon's tick, with the times that are
 * given. Replay, simulate and the shadow policy share it. Pure: the same inputs give the same decisions.
 */
import { decide } from '../decide/decide.ts';
import type { DecideMemory } from '../decide/memory.ts';
import { createHealth } from '../health/create-health.ts';
import { judge } from '../health/judge.ts';
import type { HealthMemory } from '../health/memory.ts';
import { observe } from '../health/observe.ts';
import { restoreHealth } from '../health/restore-health.ts';
import { firstWindowMillis } from '../health/thresholds.ts';
import type { NodeConfig } from '../../types/config.ts';
import type { Transition, UplinkHealth } from '../../types/health.ts';
import type { ProbeTask } from '../../types/outcome.ts';
import { type Instant, millis } from '../../types/units.ts';
import type { Wish } from '../../types/wish.ts';
import type { RecordedTick } from './recording.ts';

export type RunConfig = Pick<NodeConfig, 'services' | 'uplinks' | 'policy' | 'guards'>;

export interface RunStart {
  readonly config: RunConfig;
  readonly tasks: readonly ProbeTask[];
  /** Checkpoint of health as of `at`; empty, or one that does not fit: observation begins at `at`. */
  readonly health: string;
  readonly decide: DecideMemory;
  readonly at: Instant;
}

/** What a tick is given; a recorded one has it all. */
export type RunTick = Omit<RecordedTick, 'happened'>;

export interface RunStep {
  readonly at: Instant;
  readonly health: readonly UplinkHealth[];
  readonly transitions: readonly Transition[];
  readonly wish: Wish;
}

export interface Run {
  /** Consumes the tick and goes on; ticks come in the order of time. */
  step(tick: RunTick): RunStep;
}

export function startRun({ config, tasks, health, decide: memory, at }: RunStart): Run {
  let healthMemory: HealthMemory =
    restoreHealth(health, tasks, config.policy, at) ?? createHealth(tasks, config.policy, at);
  let decideMemory = memory;
  const { services, uplinks, policy, guards } = config;
  const waitMillis = waitOf(config);
  return {
    step({ judgedAt, decidedAt, reportedAt, samples, links, facts }) {
      const observed = observe(healthMemory, samples);
      const judged = judge(observed, config.policy, links, judgedAt, reportedAt ?? undefined);
      healthMemory = judged.memory;
      const { health: now } = judged;
      const asked = { ...facts, services, uplinks, policy, guards, waitMillis, health: now, now: decidedAt };
      const decision = decide(asked, decideMemory);
      decideMemory = decision.memory;
      return {
        at: decidedAt,
        health: now,
        transitions: judged.transitions,
        wish: decision.wish,
      };
    },
  };
}

/** The decisions for a whole row of ticks. */
export function* run(start: RunStart, ticks: Iterable<RunTick>): Generator<RunStep> {
  const running = startRun(start);
  for (const tick of ticks) yield running.step(tick);
}

/** How long a failed uplink waits for the others: the first window of the slowest probes. */
export function waitOf({ uplinks, policy }: RunConfig) {
  const timeoutMillis = millis(Math.max(...uplinks.map(({ probe }) => probe.timeoutMillis)));
  return firstWindowMillis(policy, { timeoutMillis });
}
