/** From the results of the jobs to figures for each scenario and contestant. */
import { type Job, type JobResult, dayMillis } from './jobs.ts';
import { delayScenarios, quietScenarios } from './scenarios.ts';

const yearDays = 365.25;
/** Zero alarms in N days bound the rate by 3 / N with 95 % confidence. */
const boundOfNone = 3;

export interface DelayFigure {
  /** Seconds; null: more than that share is never found. */
  readonly medianSeconds: number | null;
  readonly p95Seconds: number | null;
  /** Share that is found within the horizon. */
  readonly found: number;
}

export interface QuietFigure {
  readonly alarms: number;
  readonly days: number;
  readonly perYear: number;
  /** The rate that this many alarms are still compatible with, where there are none. */
  readonly belowPerYear: number | null;
  /** Share of time in which it is called failed. */
  readonly failedShare: number;
}

/** By scenario's name, then by contestant's. */
export interface ArenaFigures {
  readonly delay: ReadonlyMap<string, ReadonlyMap<string, DelayFigure>>;
  readonly quiet: ReadonlyMap<string, ReadonlyMap<string, QuietFigure>>;
}

export function figuresOf(jobs: readonly Job[], results: readonly JobResult[]): ArenaFigures {
  const pick = <K extends Job['kind']>(kind: K, scenario: number, rule: string) =>
    results.filter((result, index): result is Extract<JobResult, { readonly kind: K }> => {
      const job = jobs[index];
      return job?.kind === kind && job.scenario === scenario && job.rule === rule && result.kind === kind;
    });
  const rules = [...new Set(jobs.map(({ rule }) => rule))];
  const delay = delayScenarios.map(
    ({ name }, scenario) =>
      [
        name,
        new Map(
          rules.map((rule) => [
            rule,
            delayFigure(pick('delay', scenario, rule).flatMap((result) => result.delaysMillis)),
          ]),
        ),
      ] as const,
  );
  const quiet = quietScenarios.map(
    ({ name }, scenario) =>
      [name, new Map(rules.map((rule) => [rule, quietFigure(pick('quiet', scenario, rule))]))] as const,
  );
  return { delay: new Map(delay), quiet: new Map(quiet) };
}

function delayFigure(delaysMillis: readonly (number | null)[]): DelayFigure {
  const sorted = delaysMillis.map((delay) => delay ?? Infinity).sort((a, b) => a - b);
  const at = (share: number): number | null => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Infinity;
    return Number.isFinite(value) ? value / 1000 : null;
  };
  const found = sorted.filter(Number.isFinite).length / Math.max(1, sorted.length);
  return { medianSeconds: at(0.5), p95Seconds: at(0.95), found };
}

function quietFigure(results: readonly Extract<JobResult, { readonly kind: 'quiet' }>[]): QuietFigure {
  const sum = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const alarms = sum((result) => result.alarms);
  const days = sum((result) => result.days);
  return {
    alarms,
    days,
    perYear: (alarms / days) * yearDays,
    belowPerYear: alarms === 0 ? (boundOfNone / days) * yearDays : null,
    failedShare: sum((result) => result.failedMillis) / (days * dayMillis),
  };
}
