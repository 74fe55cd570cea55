/**
 * A simulated day, a hundred times as fast: the core and the parts of the daemon that keep something (history on a disk,
 * narrator, recorder, checkpoint, series) tick through faults of every kind. Memory, descriptors and the lag of the
 * event loop must stay flat. Probes, BIRD and HTTP are not in it: the lab has them (`lab/fleet`, redis-away-memory).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { readConfig } from '../src/config/read.ts';
import { emptyDecideMemory } from '../src/core/decide/memory.ts';
import type { DecideMemory } from '../src/core/decide/memory.ts';
import { decide } from '../src/core/decide/decide.ts';
import { checkpoint } from '../src/core/health/checkpoint.ts';
import { createHealth } from '../src/core/health/create-health.ts';
import { judge } from '../src/core/health/judge.ts';
import type { HealthMemory } from '../src/core/health/memory.ts';
import { observe } from '../src/core/health/observe.ts';
import { protocolWishes } from '../src/core/plan/protocols.ts';
import { tasksOf } from '../src/core/probe-tasks.ts';
import type { Fault } from '../src/core/replay/fault.ts';
import { type RunTick, waitOf } from '../src/core/replay/run.ts';
import { faultsOver, simulatedScenarios } from '../src/core/replay/scenarios.ts';
import { trace } from '../src/core/replay/trace.ts';
import { openStateFolder, type StateFolder } from '../src/daemon/checkpoint.ts';
import { type History, openHistory } from '../src/daemon/history.ts';
import { Narrator } from '../src/daemon/narrator.ts';
import { type Recorder, startRecorder } from '../src/daemon/recorder.ts';
import { createSeries, noteSeries, type Series } from '../src/daemon/series.ts';
import { speakVerdicts } from '../src/daemon/spoken-verdicts.ts';
import type { NodeConfig } from '../src/types/config.ts';
import type { ProbeTask } from '../src/types/outcome.ts';
import { instant } from '../src/types/units.ts';
import { type HourFigures, rowOf, textOf, verdictOf } from './soak-figures.ts';
import { report } from './report.ts';

export const help = `soak [--hours N] [--speed N] [--seed N] [--json] [--write FILE]
  a simulated day at a hundred times its speed: memory, descriptors and lag of the event loop stay flat`;

const tickMillis = 200;
const hourMillis = 3_600_000;
const beganAt = instant(1_000_000);
const ticksPerHour = hourMillis / tickMillis;
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: 'string', default: '24' },
      speed: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      write: { type: 'string' },
    },
  });
  const hours = await soak(Number(values.hours), Number(values.speed), Number(values.seed));
  const verdict = verdictOf(hours);
  const json = { hours, ...verdict };
  report(args, { name: 'soak', text: textOf(hours, verdict), json, isMarkdown: true });
  return verdict.isFlat ? 0 : 1;
}

/** What lives through the day. */
interface Daemon {
  readonly config: NodeConfig;
  readonly tasks: readonly ProbeTask[];
  readonly history: History;
  readonly folder: StateFolder;
  readonly recorder: Recorder;
  readonly narrator: Narrator;
  readonly series: Series;
  health: HealthMemory;
  decide: DecideMemory;
  at: number;
  changes: number;
  saving: boolean;
}

async function soak(hours: number, speed: number, seed: number): Promise<readonly HourFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-soak-'));
  const lag = monitorEventLoopDelay({ resolution: 10 });
  try {
    const daemon = await openDaemon(folder);
    let recorded = 0;
    const endRecording = daemon.recorder.record({
      gatherMillis: 1000,
      put(bytes) {
        recorded += bytes.length;
        return 'on';
      },
    });
    lag.enable();
    const figures = await playDay(daemon, { hours, speed, seed, lag });
    await endRecording();
    await daemon.history.close();
    process.stderr.write(`soak: ${Math.round(recorded / 1e6)} MB recorded\n`);
    return figures;
  } finally {
    lag.disable();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openDaemon(folder: string): Promise<Daemon> {
  const config = nodeOf();
  const tasks = tasksOf(config);
  let daemon: Daemon | null = null;
  const now = () => instant(daemon?.at ?? beganAt);
  const wallTime = () => new Date(1_796_000_000_000 + now() - beganAt).toISOString();
  const history = await openHistory({ folder: join(folder, 'history'), bootId: 'soak', now, wallTime });
  daemon = {
    config,
    tasks,
    history,
    folder: openStateFolder(folder, () => undefined),
    recorder: startRecorder({ node: 'hk1', setup: () => ({ config: '', tasks }), wallTime }),
    narrator: new Narrator(pino({ level: 'silent' }), history.tell),
    series: createSeries(tasks),
    health: createHealth(tasks, config.policy, beganAt),
    decide: emptyDecideMemory,
    at: beganAt,
    changes: 0,
    saving: false,
  };
  return daemon;
}

interface Pace {
  readonly hours: number;
  readonly speed: number;
  readonly seed: number;
  readonly lag: IntervalHistogram;
}

async function playDay(daemon: Daemon, { hours, speed, seed, lag }: Pace): Promise<readonly HourFigures[]> {
  const ticks = trace({
    tasks: daemon.tasks,
    faults: faultsOfDay(daemon.config, hours, seed),
    ambient: { share: 0.002, bursts: { share: 0, meanMillis: 0 } },
    seed,
    beganAt,
    lengthMillis: hours * hourMillis,
    tickMillis,
  });
  const figures: HourFigures[] = [];
  const realTickMillis = tickMillis / speed;
  let used = process.cpuUsage();
  let dueAt = performance.now();
  let count = 0;
  for (const tick of ticks) {
    await oneTick(daemon, tick);
    count += 1;
    dueAt += realTickMillis;
    const early = dueAt - performance.now();
    if (early > 4) await pause(early);
    else if (count % 5 === 0) await breathe();
    if (count % ticksPerHour !== 0) continue;
    const cpu = process.cpuUsage(used);
    figures.push(figuresOf(figures.length + 1, daemon, lag, (cpu.user + cpu.system) / 1e6));
    process.stderr.write(`soak: ${rowOf(figures.at(-1))}\n`);
    lag.reset();
    used = process.cpuUsage();
  }
  return figures;
}

/** Another kind of trouble each hour. */
function faultsOfDay(config: NodeConfig, hours: number, seed: number): readonly Fault[] {
  return Array.from({ length: hours }, (_, hour) => {
    const scenario = simulatedScenarios[hour % simulatedScenarios.length];
    if (scenario === undefined) return [];
    return faultsOver(scenario, config, seed + hour, hourMillis).map((fault) => ({
      ...fault,
      fromMillis: fault.fromMillis + hour * hourMillis,
      toMillis: fault.toMillis + hour * hourMillis,
    }));
  }).flat();
}

async function oneTick(
  daemon: Daemon,
  { judgedAt, reportedAt, samples, links, facts }: RunTick,
): Promise<void> {
  const { config, narrator, recorder } = daemon;
  const { services, uplinks, policy, guards } = config;
  daemon.at = judgedAt;
  const wall = new Date(1_796_000_000_000 + judgedAt - beganAt).toISOString();
  recorder.judging(
    { health: daemon.health, decide: daemon.decide },
    { samples, reportedAt, links },
    judgedAt,
  );
  noteSeries(daemon.series, samples);
  const judged = judge(observe(daemon.health, samples), policy, links, judgedAt, reportedAt ?? undefined);
  daemon.health = judged.memory;
  speakVerdicts(narrator, judged.health, judged.transitions, wall);
  const asked = {
    ...facts,
    services,
    uplinks,
    policy,
    guards,
    waitMillis: waitOf(config),
    health: judged.health,
    now: judgedAt,
  };
  const before = daemon.decide;
  const decision = decide(asked, before);
  daemon.decide = decision.memory;
  recorder.decided(asked, decision.wish);
  narrator.wish(decision.wish, judged.health, wall, judgedAt);
  protocolWishes(config, decision.wish, []);
  for (const { uplink, service, family, state } of decision.wish.announcements)
    if (before.wished[`${uplink}_${service}${family}`]?.state !== state) daemon.changes += 1;
  if ((judgedAt - beganAt) % 1000 === 0 && !daemon.saving) {
    daemon.saving = true;
    const kept = { health: checkpoint(daemon.health), decide: daemon.decide, look: null };
    void daemon.folder.saveCheckpoint(kept).finally(() => {
      daemon.saving = false;
    });
  }
  if ((judgedAt - beganAt) % 60_000 === 0) await daemon.history.read({ limit: 200 });
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function figuresOf(
  hour: number,
  { changes }: Daemon,
  lag: IntervalHistogram,
  cpuSeconds: number,
): HourFigures {
  collect();
  const { heapUsed } = process.memoryUsage();
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return {
    hour,
    heapMegabytes: round(heapUsed / 1e6),
    residentMegabytes: round((Number(resident ?? 0) * 1024) / 1e6),
    // The one that lists them is among them.
    descriptors: readdirSync('/proc/self/fd').length - 1,
    lagP50Millis: round(lag.percentile(50) / 1e6),
    lagP99Millis: round(lag.percentile(99) / 1e6),
    cpuSeconds: round(cpuSeconds),
    changes,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function nodeOf(): NodeConfig {
  const targets = ['ID', 'PH', 'MY', 'VN', 'SG'].flatMap((region, at) =>
    [1, 2].map(
      (number) =>
        `      - { name: t${at}-${number}, region: ${region}, ping: 198.51.100.${10 * at + number} }`,
    ),
  );
  const uplinks = ['cmi', 'pccw', 'hkbn'].map(
    (name, at) =>
      `  ${name}:\n    carrier: ${name}\n    interface: eth${at}\n    source: 192.0.2.${4 * at + 2}\n    peer: { asn: ${64_500 + at}, address: 192.0.2.${4 * at + 1} }\n    targets:\n${targets.join('\n')}`,
  );
  const read = readConfig(
    'soak.yaml',
    `node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }\nservices: { web: { prefixes: [203.0.113.0/24] } }\nuplinks:\n${uplinks.join('\n')}\n`,
  );
  if (read.kind === 'bad') throw new Error(read.problems.map(({ text }) => text).join('\n'));
  return read.config;
}
