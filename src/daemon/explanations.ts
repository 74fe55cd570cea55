/** Why the announcements of an uplink are as they are, three lines each, from the last tick. */
import { dampingModels } from '../core/decide/damping.ts';
import type { DecideInput } from '../core/decide/decide.ts';
import { explain } from '../core/decide/explain.ts';
import type { DecideMemory } from '../core/decide/memory.ts';
import type { Explanation } from '../types/wire/answers.ts';
import { seenOf } from './status-document.ts';
import type { TickReport } from './tick.ts';

/** `asked` and `memory` are of the last tick. null: none has ended yet. */
export function explanationsOf(
  report: TickReport | null,
  asked: DecideInput | null,
  memory: DecideMemory,
  uplink: string,
): readonly Explanation[] | null {
  if (report === null || asked === null) return null;
  const { view, health, wish } = report;
  return wish.announcements
    .filter((one) => one.uplink === uplink)
    .map((one) => ({
      service: one.service,
      uplink,
      family: one.family,
      lines: explain(one, {
        health: health.find((other) => other.uplink === uplink && other.family === one.family) ?? null,
        seen: seenOf(one, view.kind === 'seen' ? view : null),
        overrides: asked.overrides,
        memory,
        recovery: asked.policy.recovery,
        model: dampingModels[asked.guards.flapBudget],
        now: report.at,
      }),
    }));
}
