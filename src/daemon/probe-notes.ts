/** What people see of the probes: why one did not run, figures of minutes, and seconds for charts. It decides nothing. */
import { createRolling, figuresAt, noteRolling, type RollingSubject } from '../core/health/rolling.ts';
import type { ProbeTask, Sample } from '../types/outcome.ts';
import type { RollingFigures } from '../types/rolling.ts';
import type { Instant } from '../types/units.ts';
import { noteNotRun, type NotRunNotes } from './not-run.ts';
import { createSeries, noteSeries, type Series } from './series.ts';

export interface ProbeNotes {
  note(samples: readonly Sample[]): void;
  notRun(): NotRunNotes;
  figures(subject: RollingSubject, now: Instant): RollingFigures;
  series(): Series;
  /** Another plan; what was measured of the same targets stays. */
  use(tasks: readonly ProbeTask[]): void;
}

export function openProbeNotes(tasks: readonly ProbeTask[]): ProbeNotes {
  let notRun = noteNotRun(tasks);
  let rolling = createRolling(tasks);
  let series = createSeries(tasks);
  return {
    note(samples) {
      notRun.note(samples);
      noteRolling(rolling, samples);
      noteSeries(series, samples);
    },
    notRun: () => notRun,
    figures: (subject, now) => figuresAt(rolling, subject, now),
    series: () => series,
    use(next) {
      notRun = noteNotRun(next);
      rolling = createRolling(next, rolling);
      series = createSeries(next, series);
    },
  };
}
