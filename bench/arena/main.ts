/**
 * The detector arena: Causeway's detector and the rules that others use, on the same simulated traces. Takes an hour or
 * two of two cores at the lowest priority; `--days 20` and `--seeds 50` give a first look in a minute.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { report } from '../report.ts';
import { runJobs } from './crew.ts';
import { figuresOf } from './figures.ts';
import { openKept } from './kept.ts';
import { type Job, causewayName, contestants, impatientName } from './jobs.ts';
import { plotOf } from './plot.ts';
import { delayScenarios, quietScenarios } from './scenarios.ts';
import { tablesOf } from './tables.ts';
import { checksOf } from './verdict.ts';

export const help = `arena [--days N] [--seeds N] [--keep FILE] [--plot FILE.svg] [--write FILE.md] [--json]
  Detection delay and false alarms a year of our detector and of other tools' rules, on the same simulated traces.
  --days   simulated days without a fault for what is promised (1000); a tenth of it for the rest
  --seeds  simulated faults of each kind (500)
  --keep   results stand in FILE as they come: a run that was interrupted goes on from there`;

/** At this trace the plot shows the false alarms. */
const plotted = '0.2 % in bursts of 5';
const daysAtOnce = 25;
const seedsAtOnce = 50;
const processes = 2;
/** The impatient setting is wrong so often that days are enough, and ten times the probes cost ten times the time. */
const impatientDaysShare = 0.02;

/** Exit code 0: every promise is kept; 1: one is not. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      days: { type: 'string', default: '1000' },
      seeds: { type: 'string', default: '500' },
      keep: { type: 'string' },
      plot: { type: 'string' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const jobs = [...quietJobs(Number(values.days)), ...delayJobs(Number(values.seeds))];
  const began = performance.now();
  const kept = values.keep === undefined ? null : openKept(values.keep);
  const results = await runJobs(jobs, processes, kept, (done) => tellProgress(done, jobs.length, began));
  const figures = figuresOf(jobs, results);
  const checks = checksOf(figures);
  if (values.plot !== undefined) {
    mkdirSync(dirname(values.plot), { recursive: true });
    writeFileSync(values.plot, plotOf(figures, plotted));
  }
  const asObject = (map: ReadonlyMap<string, ReadonlyMap<string, unknown>>) =>
    Object.fromEntries([...map].map(([name, inner]) => [name, Object.fromEntries(inner)]));
  const json = { delay: asObject(figures.delay), quiet: asObject(figures.quiet), checks };
  report(args, { name: 'arena', text: tablesOf(figures, checks), json, isMarkdown: true });
  return checks.every((check) => check.kept) ? 0 : 1;
}

/** The longest first, so that no process ends alone. */
function quietJobs(days: number): readonly Job[] {
  return quietScenarios.flatMap(({ promised }, scenario) =>
    contestants.flatMap((rule): readonly Job[] => {
      const wanted = rule === causewayName && !promised ? days / 10 : days;
      const all = Math.max(1, Math.round(rule === impatientName ? days * impatientDaysShare : wanted));
      const pieces = Math.ceil(all / daysAtOnce);
      return Array.from({ length: pieces }, (_, piece) => ({
        kind: 'quiet',
        scenario,
        rule,
        seed: 1 + scenario * 1000 + piece,
        days: Math.min(daysAtOnce, all - piece * daysAtOnce),
      }));
    }),
  );
}

function delayJobs(seeds: number): readonly Job[] {
  return delayScenarios.flatMap((_, scenario) =>
    contestants.flatMap((rule) =>
      Array.from(
        { length: Math.ceil(seeds / seedsAtOnce) },
        (__, piece): Job => ({
          kind: 'delay',
          scenario,
          rule,
          firstSeed: 1 + piece * seedsAtOnce,
          seeds: Math.min(seedsAtOnce, seeds - piece * seedsAtOnce),
        }),
      ),
    ),
  );
}

function tellProgress(done: number, all: number, began: number): void {
  if (!process.stderr.isTTY && done % 50 !== 0 && done !== all) return;
  const seconds = (performance.now() - began) / 1000;
  process.stderr.write(`arena: ${done} of ${all} jobs in ${seconds.toFixed(0)} s\n`);
}
