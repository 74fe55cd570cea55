/** Why the latest probe of each target did not run, for the status page. */
import type { NotRunReason, ProbeTask, Sample } from '../types/outcome.ts';
import type { Family } from '../types/units.ts';

export interface NotRunNotes {
  note(samples: readonly Sample[]): void;
  /** null: its latest probe ran. */
  of(uplink: string, family: Family, target: string): NotRunReason | null;
}

export function noteNotRun(tasks: readonly ProbeTask[]): NotRunNotes {
  const keys = new Map(tasks.map((task) => [task.id, keyOf(task.uplink, task.family, task.target)]));
  const reasons = new Map<string, NotRunReason>();
  return {
    note(samples) {
      for (const { task, outcome } of samples) {
        const key = keys.get(task) ?? '';
        if (outcome.kind === 'not-run') reasons.set(key, outcome.why);
        else reasons.delete(key);
      }
    },
    of: (uplink, family, target) => reasons.get(keyOf(uplink, family, target)) ?? null,
  };
}

function keyOf(uplink: string, family: Family, target: string): string {
  return `${uplink}${family} ${target}`;
}
