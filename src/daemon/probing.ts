/** The prober child and the facts of the host, brought together: what each tick takes of them. */
import type { Logger } from 'pino';
import type { RollingSubject } from '../core/health/rolling.ts';
import type { NodeConfig } from '../types/config.ts';
import type { LinkFact } from '../types/health.ts';
import type { ProbeTask, Sample } from '../types/outcome.ts';
import type { RollingFigures } from '../types/rolling.ts';
import type { Instant } from '../types/units.ts';
import type { Alarm } from './alarms.ts';
import { followHost } from './links.ts';
import type { NotRunNotes } from './not-run.ts';
import { openProbeNotes } from './probe-notes.ts';
import { type ProberState, startProber } from './prober.ts';
import type { Series } from './series.ts';
import type { TickInput } from './tick.ts';

export interface Probing {
  /** All that came since the last call. */
  take(): TickInput;
  links(): ReadonlyMap<string, LinkFact>;
  prober(): ProberState;
  notRun(): NotRunNotes;
  /** Figures for people. */
  figures(subject: RollingSubject, now: Instant): RollingFigures;
  /** Second by second, for charts. */
  series(): Series;
  /** Another config: unchanged tasks go on being probed. No tasks: nothing is sent any more. */
  use(config: NodeConfig, tasks: readonly ProbeTask[]): void;
  stop(): Promise<void>;
}

/** `onOrigins`: told of the outcomes of origins, which have no part in health. */
export function startProbing(
  config: NodeConfig,
  tasks: readonly ProbeTask[],
  log: Logger,
  onOrigins: (samples: readonly Sample[]) => void = () => undefined,
): Probing {
  const waiting: Sample[] = [];
  const heard: { at: Instant | null } = { at: null };
  const origins = originsApart(tasks, onOrigins);
  const notes = openProbeNotes(tasks);
  let kind: ProberState['kind'] = 'starting';
  const prober = startProber({
    entry: new URL('../../probes/prober.js', import.meta.url),
    tasks,
    engine: config.probeEngine,
    onSamples: ({ samples, at }) => {
      waiting.push(...samples);
      heard.at = at;
    },
    onState: (state) => {
      if (state.kind !== kind) log.info({ from: kind, to: state.kind }, 'prober changed');
      kind = state.kind;
    },
  });
  const host = followHost({
    config,
    tasks,
    onLinkChange: () => prober.linkChanged(),
    onTrouble: (text) => log.warn({ text }, 'host trouble'),
  });
  return {
    take() {
      const samples = origins.apart(host.honest(waiting.splice(0)));
      notes.note(samples);
      const state = prober.state();
      return {
        samples,
        reportedAt: state.kind === 'running' ? heard.at : null,
        links: host.links(),
        alarms: [...host.alarms(), ...proberAlarms(state)],
      };
    },
    links: () => host.links(),
    prober: () => prober.state(),
    notRun: () => notes.notRun(),
    figures: (subject, now) => notes.figures(subject, now),
    series: () => notes.series(),
    use(next, probed) {
      // Its samples have the numbers of the tasks before.
      waiting.length = 0;
      prober.setTasks(probed);
      origins.use(probed);
      notes.use(probed);
      host.use(next, probed);
    },
    async stop() {
      host.stop();
      await prober.stop();
    },
  };
}

/** Parts samples of origins from those of the uplinks' own targets, which it gives back. */
function originsApart(
  tasks: readonly ProbeTask[],
  onOrigins: (samples: readonly Sample[]) => void,
): {
  readonly apart: (all: readonly Sample[]) => readonly Sample[];
  readonly use: (probed: readonly ProbeTask[]) => void;
} {
  const idsOf = (list: readonly ProbeTask[]): ReadonlySet<number> =>
    new Set(list.filter((task) => task.class === 'origin').map(({ id }) => id));
  let ids = idsOf(tasks);
  return {
    apart(all) {
      const own = all.filter(({ task }) => ids.has(task));
      if (own.length === 0) return all;
      onOrigins(own);
      return all.filter(({ task }) => !ids.has(task));
    },
    use(probed) {
      ids = idsOf(probed);
    },
  };
}

function proberAlarms(state: ProberState): readonly Alarm[] {
  switch (state.kind) {
    case 'starting':
    case 'running':
      return [];
    case 'silent':
    case 'restarting': {
      const text = 'the prober does not speak: all health becomes unknown, announcements stay as they are';
      return [{ code: 'prober-silent', text }];
    }
    case 'unable':
      return [{ code: 'prober-unable', text: `${state.code}: ${state.text}` }];
  }
}
