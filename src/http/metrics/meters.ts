/** Counters and histograms that the daemon feeds as it goes. Nothing here throws or waits. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ProbeTask, Sample } from '../../types/outcome.ts';
import type { HistoryEntry } from '../../types/wire/history.ts';

export interface Meters {
  /** A tick that took so long, and began so much later than it was due. */
  readonly ticked: (durationMillis: number, lateMillis: number) => void;
  /** A look at BIRD. */
  readonly lookedAtBird: (durationMillis: number) => void;
  /** A write of the owned file. */
  readonly wroteFile: (durationMillis: number, isGood: boolean) => void;
  /** Outcomes, with the tasks that they are of. */
  readonly probed: (samples: readonly Sample[], tasks: readonly ProbeTask[]) => void;
  /** Since the prober process started; less than before: it is another one. */
  readonly prober: (cpuMicros: number, strays: number) => void;
  /** What happened. */
  readonly told: (entry: HistoryEntry) => void;
  /** `route` null: no such path. */
  readonly answered: (method: string, route: string | null, status: number) => void;
  /** Clients that follow the history. */
  readonly followers: (count: number) => void;
}

const tickBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const lateBuckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5];
const fileBuckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5];
/** From a neighbour to the far side of the world. */
const tripBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1];

export function openMeters(registry: Registry): Meters {
  const registers = [registry];
  const tick = new Histogram({
    name: 'causeway_tick_duration_seconds',
    help: 'How long a tick took, from its look at BIRD to its last answer.',
    buckets: tickBuckets,
    registers,
  });
  const late = new Histogram({
    name: 'causeway_tick_late_seconds',
    help: 'How much later than due a tick began.',
    buckets: lateBuckets,
    registers,
  });
  const bird = new Histogram({
    name: 'causeway_bird_round_trip_seconds',
    help: 'How long the look at BIRD took, with all its questions.',
    buckets: tickBuckets,
    registers,
  });
  const probes = probeMeters(registry);
  const events = eventMeters(registry);
  const http = httpMeters(registry);
  const file = fileMeters(registry);
  return {
    ticked(durationMillis, lateMillis) {
      tick.observe(durationMillis / 1000);
      late.observe(lateMillis / 1000);
    },
    lookedAtBird: (durationMillis) => bird.observe(durationMillis / 1000),
    ...probes,
    ...events,
    ...http,
    ...file,
  };
}

function fileMeters(registry: Registry): Pick<Meters, 'wroteFile'> {
  const registers = [registry];
  const duration = new Histogram({
    name: 'causeway_file_write_duration_seconds',
    help: 'How long a write of the owned file took, with its fsync.',
    buckets: fileBuckets,
    registers,
  });
  const failed = new Counter({
    name: 'causeway_file_write_failures_total',
    help: 'Writes of the owned file that failed.',
    registers,
  });
  return {
    wroteFile(durationMillis, isGood) {
      duration.observe(durationMillis / 1000);
      if (!isGood) failed.inc();
    },
  };
}

type Child<T extends string> = ReturnType<Counter<T>['labels']>;

/** Of one task: what its outcomes are counted in. */
interface TaskMeters {
  readonly sent: Child<'uplink' | 'family' | 'kind'>;
  readonly answered: Child<'uplink' | 'family' | 'kind'>;
  readonly lost: Child<'uplink' | 'family' | 'kind'>;
  readonly trip: ReturnType<Histogram<'uplink' | 'family'>['labels']> | null;
}

function probeMeters(registry: Registry): Pick<Meters, 'probed' | 'prober'> {
  const registers = [registry];
  const labelNames = ['uplink', 'family', 'kind'] as const;
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const sent = counter('causeway_probes_sent_total', 'Probes that left by their uplink: answered or lost.');
  const answered = counter('causeway_probes_answered_total', 'Probes that were answered in time.');
  const lost = counter('causeway_probes_lost_total', 'Probes that were not answered in time.');
  const notRun = new Counter({
    name: 'causeway_probes_not_run_total',
    help: 'Probes that our own machine did not send or time rightly; they count against nobody.',
    labelNames: ['uplink', 'family', 'reason'],
    registers,
  });
  const trips = new Histogram({
    name: 'causeway_uplink_rtt_seconds',
    help: 'Round trips of ICMP and TCP probes to the targets of an uplink.',
    labelNames: ['uplink', 'family'],
    buckets: tripBuckets,
    registers,
  });
  const { prober } = proberMeters(registry);
  let of: readonly ProbeTask[] | null = null;
  let known = new Map<number, ProbeTask & { readonly meters: TaskMeters }>();
  const metersOf = (task: ProbeTask): TaskMeters => {
    const { uplink, kind } = task;
    const labels = { uplink, family: String(task.family), kind };
    const isTimed = task.class === 'target' && (kind === 'icmp' || kind === 'tcp');
    return {
      sent: sent.labels(labels),
      answered: answered.labels(labels),
      lost: lost.labels(labels),
      trip: isTimed ? trips.labels({ uplink, family: labels.family }) : null,
    };
  };
  return {
    prober,
    probed(samples, tasks) {
      if (of !== tasks) {
        of = tasks;
        known = new Map(tasks.map((task) => [task.id, { ...task, meters: metersOf(task) }]));
      }
      for (const { task, outcome } of samples) {
        const found = known.get(task);
        if (found === undefined) continue;
        const { meters, uplink, family } = found;
        if (outcome.kind === 'not-run') {
          notRun.inc({ uplink, family: String(family), reason: outcome.why });
          continue;
        }
        meters.sent.inc();
        meters[outcome.kind].inc();
        if (outcome.kind === 'answered') meters.trip?.observe(outcome.rttMillis / 1000);
      }
    },
  };
}

function proberMeters(registry: Registry): Pick<Meters, 'prober'> {
  const registers = [registry];
  const cpu = new Counter({
    name: 'causeway_prober_cpu_seconds_total',
    help: 'CPU time of the prober processes since the start of the daemon.',
    registers,
  });
  const stray = new Counter({
    name: 'causeway_probes_stray_replies_total',
    help: 'Late, duplicate and foreign replies; late ones count as lost.',
    registers,
  });
  let before = { cpuMicros: 0, strays: 0 };
  return {
    prober(cpuMicros, strays) {
      cpu.inc(grown(before.cpuMicros, cpuMicros) / 1e6);
      stray.inc(grown(before.strays, strays));
      before = { cpuMicros, strays };
    },
  };
}

function grown(before: number, now: number): number {
  return now >= before ? now - before : now;
}

function eventMeters(registry: Registry): Pick<Meters, 'told' | 'followers'> {
  const registers = [registry];
  const entries = new Counter({
    name: 'causeway_history_entries_total',
    help: 'Entries of the history, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const commands = new Counter({
    name: 'causeway_bird_commands_total',
    help: 'Commands to BIRD and what came of them; one that fails again and again is counted once.',
    labelNames: ['command', 'effect'],
    registers,
  });
  const decisions = new Counter({
    name: 'causeway_decisions_total',
    help: 'Changes of the wish about an announcement, by the state that is wished then.',
    labelNames: ['uplink', 'family', 'to'],
    registers,
  });
  const verdicts = new Counter({
    name: 'causeway_uplink_verdicts_total',
    help: 'Changes of the verdict about an uplink, by the health that it has then.',
    labelNames: ['uplink', 'family', 'to'],
    registers,
  });
  const followers = new Gauge({
    name: 'causeway_event_clients',
    help: 'Clients that follow GET /v1/events.',
    registers,
  });
  return {
    followers: (count) => followers.set(count),
    told(entry) {
      entries.inc({ kind: entry.kind });
      // Behind the colon stands what BIRD said.
      if (entry.kind === 'command')
        commands.inc({ command: entry.command, effect: entry.effect.split(':', 1)[0] ?? '' });
      if (entry.kind !== 'decision' && entry.kind !== 'verdict') return;
      const place = { uplink: entry.uplink, family: String(entry.family), to: entry.to };
      if (entry.kind === 'decision' && entry.from !== entry.to) decisions.inc(place);
      if (entry.kind === 'verdict' && entry.subject === 'uplink') verdicts.inc(place);
    },
  };
}

function httpMeters(registry: Registry): Pick<Meters, 'answered'> {
  const requests = new Counter({
    name: 'causeway_http_requests_total',
    help: 'Answered HTTP requests; route `none`: no such path.',
    labelNames: ['method', 'route', 'code'],
    registers: [registry],
  });
  const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
  return {
    answered: (method, route, status) =>
      requests.inc({
        method: methods.has(method) ? method : 'other',
        route: route ?? 'none',
        code: String(status),
      }),
  };
}
