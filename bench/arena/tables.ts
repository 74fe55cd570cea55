/** The figures as Markdown, for a terminal and for docs/benchmarks.md alike. */
import type { ArenaFigures, DelayFigure, QuietFigure } from './figures.ts';
import { contestants } from './jobs.ts';
import { peerRules } from './rules/peers.ts';
import { horizonMillis } from './scenarios.ts';
import type { Check } from './verdict.ts';

/** All tables of the arena. */
export function tablesOf(figures: ArenaFigures, checks: readonly Check[]): string {
  return [
    'Seconds from the fault to the verdict, time-out included: median / 95th percentile',
    '',
    tableOf('fault', figures.delay, delayText),
    '',
    'False alarms a year while the uplink is well',
    '',
    tableOf('normal loss', figures.quiet, quietText),
    '',
    table(
      ['promise', 'reach', 'measured', ''],
      checks.map(({ what, reach, got, kept }) => [what, reach, got, kept ? 'kept' : 'MISSED']),
    ),
    '',
    ...peerRules.map(({ name, pinnedBy }) => `- \`${name}\`: ${pinnedBy}`),
  ].join('\n');
}

function tableOf<T>(
  first: string,
  rows: ReadonlyMap<string, ReadonlyMap<string, T>>,
  text: (figure: T) => string,
): string {
  return table(
    [first, ...contestants],
    [...rows].map(([name, byRule]) => [
      name,
      ...contestants.map((rule) => {
        const figure = byRule.get(rule);
        return figure === undefined ? '–' : text(figure);
      }),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function delayText({ medianSeconds, p95Seconds, found }: DelayFigure): string {
  if (medianSeconds === null)
    return found === 0 ? 'never' : `never (${percent(found)} within ${horizonMillis / 1000} s)`;
  return `${seconds(medianSeconds)} / ${p95Seconds === null ? `never (${percent(found)} found)` : seconds(p95Seconds)}`;
}

function quietText({ perYear, belowPerYear, days, failedShare }: QuietFigure): string {
  if (failedShare > 0.5) return 'always failed';
  if (belowPerYear !== null) return `0 in ${days} days`;
  return perYear >= 10 ? Math.round(perYear).toLocaleString('en') : perYear.toPrecision(2);
}

function seconds(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
