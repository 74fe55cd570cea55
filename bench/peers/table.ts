/** The comparison as Markdown: what was measured, and how each tool was set. */
import { type Figures, watched } from './cases.ts';

export interface Row {
  readonly name: string;
  /** `modelled`: it is the tool's rule that ran, not the tool. */
  readonly version: string;
  readonly set: string;
  readonly cannot: string;
  readonly figures: Figures;
}

/** `beside`: what all of them ran on. */
export function textOf(rows: readonly Row[], beside: string): string {
  const rounds = rows[0]?.figures.withdrawSeconds.length ?? 0;
  return [
    `${beside}; ${rounds} black holes, each at another moment of the tool's pace: median (least to most).`,
    '',
    ...table(
      [
        'tool',
        'black hole → withdrawn, s',
        'mended → back in full, s',
        'UPDATEs by that',
        'UPDATEs and lost sessions of the other two',
        '20 % loss → withdrawn, s',
        `UPDATEs in that minute`,
        'routes lost, one of ten targets dead',
        'kept when all three fail',
        'sessions lost',
        'killed with -9',
      ],
      rows.map(({ name, version, figures }) => [nameOf(name, version), ...cellsOf(figures)]),
    ),
    '',
    ...table(
      ['tool', 'version', 'set to', 'cannot'],
      rows.map(({ name, version, set, cannot }) => [name, version, set, cannot]),
    ),
  ].join('\n');
}

function cellsOf(figures: Figures): readonly string[] {
  const { keptWhenAllFail, lostByDeath } = figures;
  return [
    spreadText(figures.withdrawSeconds),
    secondsText(figures.returnSeconds, watched.returnSeconds),
    String(figures.holeUpdates),
    String(figures.collateral),
    secondsText(figures.lossySeconds, watched.minuteSeconds),
    String(figures.lossyUpdates),
    String(figures.falseWithdrawals),
    `${keptWhenAllFail} of 3`,
    String(figures.sessionsLost),
    lostByDeath === 0 ? 'all stays' : `${lostByDeath} of 3 lost`,
  ];
}

function spreadText(times: readonly (number | null)[]): string {
  const limit = watched.withdrawSeconds;
  const [least, most] = [sorted(times)[0] ?? null, sorted(times).at(-1) ?? null];
  const middle = secondsText(medianOf(times), limit);
  return times.length === 1
    ? middle
    : `${middle} (${secondsText(least, limit)} to ${secondsText(most, limit)})`;
}

/** null: in most rounds it did not happen. */
export function medianOf(times: readonly (number | null)[]): number | null {
  return sorted(times)[Math.floor(times.length / 2)] ?? null;
}

/** What did not happen comes last. */
function sorted(times: readonly (number | null)[]): readonly (number | null)[] {
  return times.toSorted((a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY));
}

function secondsText(value: number | null, limit: number): string {
  return value === null ? `not in ${limit}` : value.toFixed(1);
}

function nameOf(name: string, version: string): string {
  return version === 'modelled' ? name : `${name} ${version}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
