/** What the wish would be under another config, as states of its protocols: from what the last tick decided from. Pure. */
import type { FileStates } from '../../bird/file-states.ts';
import { decide, type DecideInput } from '../core/decide/decide.ts';
import type { DecideMemory } from '../core/decide/memory.ts';
import { createHealth } from '../core/health/create-health.ts';
import { judge } from '../core/health/judge.ts';
import { protocolWishes } from '../core/plan/protocols.ts';
import { tasksOf } from '../core/probe-tasks.ts';
import type { NodeConfig } from '../types/config.ts';

/** Uplinks that were not probed yet are unknown, and what operators said of all uplinks holds for them too. */
export function statesFor(config: NodeConfig, decided: DecideInput, memory: DecideMemory): FileStates {
  const { now } = decided;
  const unknown = judge(createHealth(tasksOf(config), config.policy, now), config.policy, new Map(), now);
  const health = unknown.health.map(
    (one) =>
      decided.health.find(({ uplink, family }) => uplink === one.uplink && family === one.family) ?? one,
  );
  const { services, uplinks, policy, guards } = config;
  const { wish } = decide({ ...decided, services, uplinks, policy, guards, health }, memory);
  const wishes = protocolWishes(config, wish, decided.overrides);
  return new Map([...wishes].map(([name, { up, description }]) => [name, { disabled: !up, description }]));
}
