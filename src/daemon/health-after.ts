/** Health after a reload: targets that are still probed go on where they were, others begin anew. */
import { checkpoint } from '../core/health/checkpoint.ts';
import { createHealth } from '../core/health/create-health.ts';
import type { HealthMemory } from '../core/health/memory.ts';
import { restoreHealth } from '../core/health/restore-health.ts';
import type { Settings } from './settings.ts';

/** A policy with cells of another length begins all of it anew: verdicts wait for a full window. */
export function healthAfter(health: HealthMemory, { config, tasks }: Settings): HealthMemory {
  const restored = restoreHealth(checkpoint(health), tasks, config.policy, health.now);
  return restored ?? createHealth(tasks, config.policy, health.now);
}
