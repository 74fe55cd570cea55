/** The arena cut into pieces of work, each of which a process does by itself from its numbers alone. */
import { randomOf } from './random.ts';
import { makePath } from './path.ts';
import { type CausewaySetting, causewayRule } from './rules/causeway.ts';
import { peerRules } from './rules/peers.ts';
import type { Rule } from './rules/rule.ts';
import {
  type DelayScenario,
  type QuietScenario,
  delayAmbient,
  delayScenarios,
  faultAfterMillis,
  horizonMillis,
  quietScenarios,
} from './scenarios.ts';
import { defaultPace, defaultPolicy, impatientPace, impatientPolicy, tasksOf } from './settings.ts';

export const causewayName = 'causeway';
export const impatientName = 'causeway, impatient';
/** Everybody in the arena, in the order of the tables. */
export const contestants: readonly string[] = [
  causewayName,
  impatientName,
  ...peerRules.map((rule) => rule.name),
];

export const dayMillis = 86_400_000;

/** `scenario`: its place in its list; `rule`: a contestant's name. */
export type Job =
  | {
      readonly kind: 'delay';
      readonly scenario: number;
      readonly rule: string;
      readonly firstSeed: number;
      readonly seeds: number;
    }
  | {
      readonly kind: 'quiet';
      readonly scenario: number;
      readonly rule: string;
      readonly seed: number;
      readonly days: number;
    };

export type JobResult =
  /** Null: not found within the horizon. */
  | { readonly kind: 'delay'; readonly delaysMillis: readonly (number | null)[] }
  | { readonly kind: 'quiet'; readonly alarms: number; readonly days: number; readonly failedMillis: number };

/** Does it; the same job gives the same result. */
export function runJob(job: Job): JobResult {
  switch (job.kind) {
    case 'delay': {
      const scenario = at(delayScenarios, job.scenario);
      const seeds = Array.from({ length: job.seeds }, (_, index) => job.firstSeed + index);
      return { kind: 'delay', delaysMillis: seeds.map((seed) => delayOf(scenario, job.rule, seed)) };
    }
    case 'quiet':
      return quietRun(at(quietScenarios, job.scenario), job);
  }
}

function delayOf(scenario: DelayScenario, name: string, seed: number): number | null {
  const random = randomOf(seed * 7919 + 13);
  const from = faultAfterMillis + random() * 20_000;
  const countsFrom = from + scenario.countsAfterMillis;
  const ruling = ruleOf(name, {
    tasks: (pace) => tasksOf(scenario.layout, scenario.kinds, pace),
    subject: scenario.subject,
    spoiled: [],
    way: 'close',
  }).run({
    path: makePath(delayAmbient, scenario.fault(from), seed),
    random,
    untilMillis: from + horizonMillis,
    stopFromMillis: from,
  });
  // Of a slow rise some are found before it is bad: that is not earlier than at once.
  const found = ruling.failedAt.find((time) => time >= from);
  return found === undefined ? null : Math.max(0, found - countsFrom);
}

function quietRun(scenario: QuietScenario, job: Extract<Job, { readonly kind: 'quiet' }>): JobResult {
  const { layout, ambientShare, burstProbes, spoiled, spoiledLoss } = scenario;
  const targets = tasksOf(layout, ['icmp'], defaultPace).length;
  const ambient =
    burstProbes === null
      ? ({ kind: 'independent', share: ambientShare } as const)
      : ({
          kind: 'bursts',
          share: ambientShare,
          // Of the defaults' stream, for every rule: one trace for all.
          meanMillis: (burstProbes * defaultPace.intervalMillis) / targets,
        } as const);
  const untilMillis = job.days * dayMillis;
  const ruling = ruleOf(job.rule, {
    tasks: (pace) => tasksOf(layout, ['icmp'], pace),
    spoiled,
    subject: 'uplink',
    way: 'far',
  }).run({
    path: makePath(ambient, ({ target }) => (spoiled.includes(target) ? spoiledLoss : 0), job.seed),
    random: randomOf(job.seed * 104_729 + 7),
    untilMillis,
    stopFromMillis: Infinity,
  });
  const { failedAt, failedMillis } = ruling;
  return { kind: 'quiet', alarms: failedAt.length, days: job.days, failedMillis };
}

interface Measured extends Pick<CausewaySetting, 'spoiled' | 'subject' | 'way'> {
  readonly tasks: (pace: typeof defaultPace) => CausewaySetting['tasks'];
}

function ruleOf(name: string, measured: Measured): Rule {
  const peer = peerRules.find((rule) => rule.name === name);
  if (peer !== undefined) return peer;
  const impatient = name === impatientName;
  return causewayRule({
    name,
    pinnedBy: '',
    policy: impatient ? impatientPolicy : defaultPolicy,
    tasks: measured.tasks(impatient ? impatientPace : defaultPace),
    spoiled: measured.spoiled,
    subject: measured.subject,
    way: measured.way,
  });
}

function at<T>(list: readonly T[], index: number): T {
  const one = list[index];
  if (one === undefined) throw new RangeError(`no scenario ${index}`);
  return one;
}
