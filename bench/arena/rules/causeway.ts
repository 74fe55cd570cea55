/**
 * Causeway's detector: the real core of `src/core/health`, fed with outcomes as the prober would send them. Two ways of
 * running it, for two questions: `close` delivers each outcome when it is known and judges at each tick of the daemon
 * (how long does it take?); `far` delivers whole cells and leaves out stretches in which nothing can happen (how often
 * is it wrong in years?). A test compares them.
 */
import { createHealth } from '../../../src/core/health/create-health.ts';
import { judge } from '../../../src/core/health/judge.ts';
import type { Group, HealthMemory, Subject } from '../../../src/core/health/memory.ts';
import { subjectsOf } from '../../../src/core/health/memory.ts';
import { observe } from '../../../src/core/health/observe.ts';
import type { PoolTest } from '../../../src/core/health/pool-test.ts';
import { cellMillis } from '../../../src/core/health/thresholds.ts';
import type { Transition } from '../../../src/types/health.ts';
import type { Outcome, ProbeTask, Sample } from '../../../src/types/outcome.ts';
import type { Policy } from '../../../src/types/policy.ts';
import { instant, millis } from '../../../src/types/units.ts';
import type { Path } from '../path.ts';
import { type Rule, type Run, type Ruling, makeLedger } from './rule.ts';

/** What is measured, by which policy, and what is bad all the time. */
export interface CausewaySetting {
  readonly name: string;
  readonly pinnedBy: string;
  readonly policy: Policy;
  readonly tasks: readonly ProbeTask[];
  /** Targets (by number) that the trace spoils from its start to its end: their being bad is no event. */
  readonly spoiled: readonly number[];
  /** Whose verdict is asked for: the uplink's, or a region's. */
  readonly subject: 'uplink' | { readonly region: string };
  readonly way: 'close' | 'far';
}

const tickMillis = 200;
const answerMillis = 40;
const slackMillis = 200;
/** Instants must be positive, and cells begin at whole ones. */
const startMillis = 1_000_000;
const cellsAtOnce = 10;

const answered: Outcome = { kind: 'answered', rttMillis: millis(answerMillis) };
const lost: Outcome = { kind: 'lost' };

/** The detector as a rule of the arena. */
export function causewayRule(setting: CausewaySetting): Rule {
  const { name, pinnedBy, way } = setting;
  return { name, pinnedBy, run: (run) => (way === 'close' ? runClose(setting, run) : runFar(setting, run)) };
}

/** One probe of each task in a turn of the schedule, in the order of their times. */
interface Slot {
  readonly task: ProbeTask;
  readonly target: number;
  readonly offsetMillis: number;
}

/** All probes of a cell: every interval must divide it, or a whole number of cells must. */
function scheduleOf({ tasks }: CausewaySetting, random: () => number, lengthMillis: number): readonly Slot[] {
  const targets = [...new Set(tasks.map((task) => task.address))];
  const slots = tasks.flatMap((task) => {
    const phase = random() * task.intervalMillis;
    const count = Math.round(lengthMillis / task.intervalMillis);
    return Array.from({ length: count }, (_, turn): Slot => {
      const target = targets.indexOf(task.address);
      return { task, target, offsetMillis: phase + turn * task.intervalMillis };
    });
  });
  return slots.sort((a, b) => a.offsetMillis - b.offsetMillis);
}

function runClose(setting: CausewaySetting, run: Run): Ruling {
  const ledger = makeLedger(run);
  const stretchMillis = 1000;
  const schedule = scheduleOf(setting, run.random, stretchMillis);
  let memory = createHealth(setting.tasks, setting.policy, instant(startMillis));
  const waiting: Waiting = { answered: [], lost: [] };
  const links = new Map<string, 'up'>();
  let turn = 0;
  let next = 0;
  for (let now = tickMillis; now <= run.untilMillis && !ledger.over(); now += tickMillis) {
    for (;;) {
      const slot = schedule[next];
      if (slot === undefined) {
        turn += 1;
        next = 0;
        continue;
      }
      const at = turn * stretchMillis + slot.offsetMillis;
      if (at > now) break;
      sendInto(waiting, run.path, slot, at);
      next += 1;
    }
    memory = observe(memory, known(waiting, now, setting));
    const at = instant(startMillis + now);
    const judgement = judge(memory, setting.policy, links, at, at);
    memory = judgement.memory;
    noteAll(ledger, judgement.transitions, setting, now);
  }
  return ledger.ruling();
}

/** Outcomes on their way, each list in the order of sending. */
interface Waiting {
  readonly answered: Sample[];
  readonly lost: Sample[];
}

function sendInto(waiting: Waiting, path: Path, slot: Slot, atMillis: number): void {
  const gone = path.loses({ target: slot.target, kind: slot.task.kind, atMillis });
  const sentAt = instant(startMillis + atMillis);
  waiting[gone ? 'lost' : 'answered'].push({
    task: slot.task.id,
    sentAt,
    outcome: gone ? lost : answered,
  });
}

function known(waiting: Waiting, nowMillis: number, { tasks }: CausewaySetting): readonly Sample[] {
  const timeout = Math.max(...tasks.map((task) => task.timeoutMillis));
  const takeUntil = (list: Sample[], sentBefore: number): readonly Sample[] => {
    const end = list.findIndex((sample) => sample.sentAt - startMillis > sentBefore);
    return list.splice(0, end < 0 ? list.length : end);
  };
  return [
    ...takeUntil(waiting.answered, nowMillis - answerMillis),
    ...takeUntil(waiting.lost, nowMillis - timeout),
  ];
}

function noteAll(
  ledger: ReturnType<typeof makeLedger>,
  transitions: readonly Transition[],
  setting: CausewaySetting,
  atMillis: number,
): void {
  for (const { subject, to } of transitions) {
    const wanted =
      setting.subject === 'uplink'
        ? subject.kind === 'uplink'
        : subject.kind === 'region' && subject.region === setting.subject.region;
    if (wanted) ledger.set(to === 'failed', atMillis);
  }
}

function runFar(setting: CausewaySetting, run: Run): Ruling {
  const ledger = makeLedger(run);
  const { policy, tasks } = setting;
  const cell = cellMillis(policy);
  const schedule = scheduleOf(setting, run.random, cell);
  const timeout = Math.max(...tasks.map((task) => task.timeoutMillis));
  let memory = createHealth(tasks, policy, instant(startMillis));
  const links = new Map<string, 'up'>();
  // The detector's clock stands still while cells are left out of it.
  let leftOutMillis = 0;
  for (
    let cells = 0;
    cells * cell + leftOutMillis < run.untilMillis && !ledger.over();
    cells += cellsAtOnce
  ) {
    const samples: Sample[] = [];
    for (let one = cells; one < cells + cellsAtOnce; one += 1) {
      for (const { task, target, offsetMillis } of schedule) {
        const atMillis = one * cell + offsetMillis;
        const gone = run.path.loses({ target, kind: task.kind, atMillis: atMillis + leftOutMillis });
        const sentAt = instant(startMillis + atMillis);
        samples.push({ task: task.id, sentAt, outcome: gone ? lost : answered });
      }
    }
    const now = instant(startMillis + (cells + cellsAtOnce) * cell + timeout + slackMillis);
    const judgement = judge(observe(memory, samples), policy, links, now, now);
    memory = judgement.memory;
    const atMillis = (cells + cellsAtOnce) * cell + leftOutMillis;
    noteAll(ledger, judgement.transitions, setting, atMillis);
    if (!atRest(memory, setting)) continue;
    const skipped = cellsWithout(run.path, atMillis, cell, schedule.length);
    run.path.skip(skipped * schedule.length);
    leftOutMillis += skipped * cell;
  }
  return ledger.ruling();
}

/** Whole cells in which the ambient takes nothing. */
function cellsWithout(path: Path, fromMillis: number, cell: number, probesPerCell: number): number {
  const { untilMillis, probes } = path.quiet();
  const byTime = Math.floor((untilMillis - fromMillis) / cell) - 1;
  const byCount = Math.floor(probes / probesPerCell) - 1;
  return Math.max(0, Math.min(byTime, byCount));
}

/**
 * Whether more cells without ambient loss leave the detector as it is: of each test that is not bad, one pool is at
 * nothing and gets nothing but answers, and an alarm takes all pools. What the trace spoils may be bad; its losses are
 * alike and independent before and after, so that leaving out cells of it changes no probability.
 */
function atRest(memory: HealthMemory, setting: CausewaySetting): boolean {
  return memory.groups.every((group) =>
    subjectsOf(group).every(
      (subject) => isQuiet(subject.loss) || (subject.loss.bad && isSpoiled(group, subject, setting)),
    ),
  );
}

function isQuiet(test: PoolTest): boolean {
  return !test.bad && test.pools.some((pool) => pool.score === 0);
}

function isSpoiled(group: Group, subject: Subject, { tasks, spoiled }: CausewaySetting): boolean {
  const targets = [...new Set(tasks.map((task) => task.address))];
  return subject.streams.every((stream) =>
    spoiled.includes(targets.indexOf(group.streams[stream]?.address ?? '')),
  );
}
