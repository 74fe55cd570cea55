/** The prober child and the facts of the host, brought together: what each tick takes of them. */
import type { Logger } from 'pino';
import { type RollingSubject, createRolling, figuresAt, noteRolling } from '../core/health/rolling.ts';
import type { NodeConfig } from '../types/config.ts';
import type { LinkFact } from '../types/health.ts';
import type { ProbeTask, Sample } from '../types/outcome.ts';
import type { RollingFigures } from '../types/rolling.ts';
import type { Instant } from '../types/units.ts';
import type { Alarm } from './alarms.ts';
import { followHost } from './links.ts';
import { noteNotRun, type NotRunNotes } from './not-run.ts';
import { type ProberState, startProber } from './prober.ts';
import type { TickInput } from './tick.ts';

export interface Probing {
  /** All that came since the last call. */
  take(): TickInput;
  links(): ReadonlyMap<string, LinkFact>;
  prober(): ProberState;
  notRun(): NotRunNotes;
  /** Figures for people. */
  figures(subject: RollingSubject, now: Instant): RollingFigures;
  /** Another config: unchanged tasks go on being probed. No tasks: nothing is sent any more. */
  use(config: NodeConfig, tasks: readonly ProbeTask[]): void;
  stop(): Promise<void>;
}

export function startProbing(config: NodeConfig, tasks: readonly ProbeTask[], log: Logger): Probing {
  const waiting: Sample[] = [];
  const heard: { at: Instant | null } = { at: null };
  let notRun = noteNotRun(tasks);
  let rolling = createRolling(tasks);
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
      const samples = host.honest(waiting.splice(0));
      notRun.note(samples);
      noteRolling(rolling, samples);
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
    notRun: () => notRun,
    figures: (subject, now) => figuresAt(rolling, subject, now),
    use(next, probed) {
      // Its samples have the numbers of the tasks before.
      waiting.length = 0;
      prober.setTasks(probed);
      notRun = noteNotRun(probed);
      rolling = createRolling(probed, rolling);
      host.use(next, probed);
    },
    async stop() {
      host.stop();
      await prober.stop();
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
