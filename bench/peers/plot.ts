/** Seconds to withdraw and to be back, a bar for each tool, as one SVG. */
import { bar, drawing, gridLine, scaleOf, text } from '../svg.ts';
import { watched } from './cases.ts';
import { medianOf, type Row } from './table.ts';

const rowHeight = 30;
const top = 50;
const panelWidth = 260;
const fastestSeconds = 0.5;

export function plotOf(rows: readonly Row[]): string {
  const withdrawn = panel(rows, {
    x: 220,
    title: 'Black hole → withdrawn, s (median)',
    limit: watched.withdrawSeconds,
    of: ({ figures }) => medianOf(figures.withdrawSeconds),
  });
  const back = panel(rows, {
    x: 600,
    title: 'Mended → back in full, s',
    limit: watched.returnSeconds,
    of: ({ figures }) => figures.returnSeconds,
  });
  const names = rows.map(({ name }, index) => text(210, middleOf(index), name, 'end'));
  return drawing(960, top + rows.length * rowHeight + 40, [...names, ...withdrawn, ...back]);
}

interface Panel {
  readonly x: number;
  readonly title: string;
  /** Where the axis ends: no longer was watched. */
  readonly limit: number;
  readonly of: (row: Row) => number | null;
}

function panel(rows: readonly Row[], { x, title, limit, of }: Panel): readonly string[] {
  const scale = scaleOf(fastestSeconds, limit, x, x + panelWidth);
  const bottom = top + rows.length * rowHeight;
  const grid = [0.5, 1, 3, 10, 30, 100].flatMap((value) => [
    gridLine(scale(value), top, scale(value), bottom),
    text(scale(value), bottom + 18, String(value), 'middle'),
  ]);
  const bars = rows.flatMap((row, index) => {
    const value = of(row);
    const end = scale(Math.max(value ?? limit, fastestSeconds));
    const label = value === null ? `not in ${limit} s` : value.toFixed(1);
    return [
      bar(x, top + index * rowHeight + 7, end - x, rowHeight - 14, colourOf(row, value)),
      text(end + 6, middleOf(index), label, 'start'),
    ];
  });
  return [text(x, top - 20, title, 'start', 'bold'), ...grid, ...bars];
}

function middleOf(index: number): number {
  return top + index * rowHeight + rowHeight / 2 + 4;
}

/** Ours, real tools and modelled rules are told apart; what never came is pale. */
function colourOf({ name, version }: Row, value: number | null): string {
  if (value === null) return '#ddd';
  if (name.startsWith('causeway')) return '#0b6e4f';
  return version === 'modelled' ? '#8a8a8a' : '#2f6db5';
}
