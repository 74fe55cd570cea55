/** The node in one line, for `systemctl status`. Pure. */
import type { HealthState } from '../types/wire/enums.ts';
import type { TickReport } from './tick.ts';

export interface SummaryFacts {
  readonly mode: 'observe' | 'live';
  readonly report: Pick<TickReport, 'view' | 'health' | 'wish'>;
  /** Codes of the standing alarms. */
  readonly alarms: readonly string[];
  readonly isFrozen: boolean;
}

/** More uplinks than this are counted, not named. */
const namedUplinks = 6;
const worstFirst: readonly HealthState[] = ['failed', 'degraded', 'unknown', 'healthy'];

/** `live; cmi failed, pccw healthy; 2 of 4 announced, 2 withdrawn; alarms: last-resort`. */
export function summaryLine(facts: SummaryFacts, isStarting: boolean): string {
  const { mode, report, alarms, isFrozen } = facts;
  const { view } = report;
  const parts = [
    `${isStarting ? 'starting; ' : ''}${mode}${isFrozen ? ', frozen' : ''}`,
    ...(view.kind === 'unreachable' ? [`BIRD does not answer (${view.code})`] : []),
    uplinksText(report.health),
    announcementsText(facts),
    ...(alarms.length === 0 ? [] : [`alarms: ${[...new Set(alarms)].join(', ')}`]),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** Of an uplink's families the worse one. */
function uplinksText(health: SummaryFacts['report']['health']): string {
  const worst = new Map<string, HealthState>();
  for (const { uplink, uplinkVerdict } of health) {
    const known = worst.get(uplink) ?? 'healthy';
    const isWorse = worstFirst.indexOf(uplinkVerdict.health) < worstFirst.indexOf(known);
    worst.set(uplink, isWorse ? uplinkVerdict.health : known);
  }
  if (worst.size <= namedUplinks) return [...worst].map(([uplink, state]) => `${uplink} ${state}`).join(', ');
  const counted = worstFirst.map((state) => ({
    state,
    count: [...worst.values()].filter((each) => each === state).length,
  }));
  const shown = counted.filter(({ count }) => count > 0).map(({ state, count }) => `${count} ${state}`);
  return `${worst.size} uplinks: ${shown.join(', ')}`;
}

/** What is wished; in observe mode nothing follows from it. */
function announcementsText({ mode, report }: SummaryFacts): string {
  const states = report.wish.announcements.map(({ state }) => state);
  const count = (wanted: (typeof states)[number]): number =>
    states.filter((state) => state === wanted).length;
  const announced = `${mode === 'observe' ? 'would announce ' : ''}${count('announce')} of ${states.length}`;
  return [
    mode === 'observe' ? announced : `${announced} announced`,
    ...(count('drain') === 0 ? [] : [`${count('drain')} drained`]),
    ...(count('withdraw') === 0 ? [] : [`${count('withdraw')} withdrawn`]),
  ].join(', ');
}
