/** A run in words: a table of the invariants, and the first breaches. Pure. */
import { type Breach, type InvariantName, invariantNames, invariantText } from './breach.ts';
import type { Fact } from './facts.ts';
import { type Story, storyOf } from './story.ts';

export interface Summary {
  readonly seed: number;
  readonly nodes: number;
  readonly tookSeconds: number;
  readonly faults: number;
  readonly updates: number;
  readonly sessionsDown: number;
  readonly dnsAnswers: number;
  readonly visits: number;
  readonly records: number;
  readonly stalledMillis: number;
  readonly healthyAfterMillis: number | null;
  readonly broken: Readonly<Record<InvariantName, number>>;
  readonly breaches: readonly Breach[];
}

export function summaryOf(facts: readonly Fact[], breaches: readonly Breach[]): Summary {
  const story = storyOf(facts);
  return {
    seed: story.begin.seed,
    nodes: story.begin.nodes.length,
    tookSeconds: Math.round((story.end - story.begin.at) / 1000),
    faults: story.faults.length,
    updates: story.of('heard').length,
    sessionsDown: story.of('session').filter(({ up }) => !up).length,
    dnsAnswers: story.of('dns').length,
    visits: story.of('visit').length,
    records: story.of('record').length,
    stalledMillis: story.of('stall').reduce((sum, { millis }) => sum + millis, 0),
    healthyAfterMillis: settledOf(story),
    broken: Object.fromEntries(
      invariantNames.map((name) => [name, breaches.filter(({ invariant }) => invariant === name).length]),
    ) as Readonly<Record<InvariantName, number>>,
    breaches,
  };
}

function settledOf(story: Story): number | null {
  return story.of('settled')[0]?.healthyAfterMillis ?? null;
}

const shown = 12;

export function summaryText(summary: Summary, beginAt: number): string {
  const width = Math.max(...invariantNames.map(({ length }) => length));
  const rows = invariantNames.map((name) => {
    const count = summary.broken[name];
    const verdict = count === 0 ? 'held' : `BROKEN ${count} ×`;
    return `  ${name.padEnd(width)}  ${verdict.padEnd(12)}  ${invariantText[name]}`;
  });
  const healthy =
    summary.healthyAfterMillis === null
      ? 'not healthy again'
      : `healthy again after ${(summary.healthyAfterMillis / 1000).toFixed(1)} s`;
  return [
    `seed ${summary.seed}, ${summary.nodes} nodes, ${summary.tookSeconds} s: ${summary.faults} faults, ${summary.updates} UPDATEs, ${summary.sessionsDown} sessions fell, ${summary.dnsAnswers} DNS answers, ${summary.visits} visits, ${summary.records} records; ${healthy}; the machine stood still for ${(summary.stalledMillis / 1000).toFixed(1)} s`,
    ...rows,
    ...summary.breaches.slice(0, shown).map((breach) => breachText(breach, beginAt)),
    ...(summary.breaches.length > shown ? [`  … and ${summary.breaches.length - shown} more`] : []),
  ].join('\n');
}

export function breachText({ invariant, at, subject, text }: Breach, beginAt: number): string {
  return `  ${((at - beginAt) / 1000).toFixed(1).padStart(7)} s  ${invariant}: ${subject}: ${text}`;
}
