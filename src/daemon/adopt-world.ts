/** What is found and remembered at a start; nothing in it makes a change by itself. */
import { createHealth } from '../core/health/create-health.ts';
import { restoreHealth } from '../core/health/restore-health.ts';
import { adoptHands, adoptStanding, isOlderThanFile } from './adopt.ts';
import { adoptReadiness } from './adopt-readiness.ts';
import type { StateFolder } from './checkpoint.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import type { FileKeeper } from './file-keeper.ts';
import { newOperatorState } from './operator-state.ts';
import type { OverrideStore } from './override-store.ts';
import type { Settings } from './settings.ts';
import type { World } from './tick.ts';

export async function adoptWorld(
  { config, tasks }: Settings,
  folder: StateFolder,
  overrideStore: OverrideStore,
  file: FileKeeper,
): Promise<World> {
  await file.look();
  const saved = await folder.loadCheckpoint();
  const kept = await overrideStore.load();
  const overrides = adoptHands(config, file.states(), kept.overrides, wallTimeNow());
  const now = monotonicNow();
  const adopted = adoptStanding(config, file.states(), saved.decide);
  const { memory, booting } = adoptReadiness(config, file.states(), saved.decide, adopted);
  // Verdicts from before the last withdrawal would undo it: they begin anew.
  const measured = isOlderThanFile(saved.decide, adopted)
    ? null
    : restoreHealth(saved.health, tasks, config.policy, now);
  return {
    health: measured ?? createHealth(tasks, config.policy, now),
    decide: memory,
    overrides,
    look: saved.look === null ? null : { ...saved.look, beforeRestart: true },
    switched: new Set(),
    released: kept.released,
    ended: new Map(),
    sessions: new Map(),
    operator: newOperatorState(),
    booting,
    compared: false,
    behindSince: null,
  };
}
