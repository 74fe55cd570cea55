/** A simulation for people and for programs. Pure; the same simulation gives the same text. */
import type { RecordedWish } from '../core/replay/recording.ts';
import type { SimulatedScenario } from '../core/replay/scenarios.ts';
import type { Simulation } from '../core/replay/simulate.ts';

interface Line {
  readonly atMillis: number;
  readonly text: string;
}

export function simulationText({ name, summary }: SimulatedScenario, found: Simulation): string {
  const { totals } = found;
  const avoided = totals.badMinutesWithout - totals.badMinutesWith;
  return [
    `${name}: ${summary}`,
    ...linesOf(found).map(({ atMillis, text }) => `${clock(atMillis)}  ${text}`),
    `bad service: ${minutes(totals.badMinutesWithout)} if all stayed announced, ${minutes(totals.badMinutesWith)} as decided: ${minutes(avoided)} avoided`,
    `withdrawals: ${totals.withdrawals}, of them false: ${totals.falseWithdrawals}; nothing announced for ${minutes(totals.darkMinutes)}`,
    `changes that carriers saw: ${totals.changes}; of one announcement in an hour at most ${totals.mostChangesInAnHour}`,
    `probes: ${totals.probes}`,
    '',
  ].join('\n');
}

export function simulationJson(
  { name, summary }: SimulatedScenario,
  seed: number,
  lengthMillis: number,
  { faults, changes, totals }: Simulation,
) {
  return {
    schema: 1,
    scenario: name,
    summary,
    seed,
    lengthMillis,
    faults: faults.map(({ text, fromMillis, toMillis }) => ({ text, fromMillis, toMillis })),
    changes: changes.map(({ atMillis, wish }) => ({ atMillis, ...wish })),
    totals: { ...totals, badMinutesAvoided: totals.badMinutesWithout - totals.badMinutesWith },
  };
}

function linesOf({ faults, changes }: Simulation): readonly Line[] {
  const told = faults.flatMap(({ text, fromMillis, toMillis }): readonly Line[] => [
    { atMillis: fromMillis, text: `fault     ${text}` },
    { atMillis: toMillis, text: `mended    ${text}` },
  ]);
  const decided = changes.map(({ atMillis, wish }) => ({ atMillis, text: wishText(wish) }));
  return [...told, ...decided].toSorted((a, b) => a.atMillis - b.atMillis);
}

function wishText({ uplink, family, service, state, reason, guard }: RecordedWish): string {
  const held = guard === null ? '' : `, held: ${guard}`;
  return `${state.padEnd(9)} ${uplink} IPv${family} ${service} (${reason}${held})`;
}

function minutes(count: number): string {
  return `${count.toFixed(1)} service-minutes`;
}

/** Hours, minutes and seconds since the beginning. */
function clock(atMillis: number): string {
  const seconds = atMillis / 1000;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${(seconds % 60).toFixed(1).padStart(4, '0')}`;
}
