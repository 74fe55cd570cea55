/** How a chart looks: lines told apart by dashes and names as well as by colour, and marks of what BIRD began to show. */
import type { Tone } from './tone.ts';
import type { TrackPoints } from './series-store.ts';

/** Something that happened to an announcement, to be drawn over the lines. */
export interface ChartMark {
  readonly atMillis: number;
  readonly uplink: string;
  readonly family: 4 | 6;
  readonly glyph: '▲' | '◆' | '▼';
  readonly tone: Tone;
}

export interface ChartLook {
  readonly width: number;
  readonly height: number;
  readonly tracks: readonly TrackPoints[];
  /** Empty: the tracks alone. */
  readonly title: string;
  /** The top of the scale is no lower than `least` and no higher than `most`. */
  readonly least: number;
  readonly most: number;
  /** Asked at each drawing. */
  readonly marks: () => readonly ChartMark[];
}

const dashes: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [12, 3, 2, 3]];
/** The same in the legend, as borders. */
const borders = ['solid', 'dashed', 'dotted', 'double'] as const;
const lineColours = 6;
const font = '12px system-ui, sans-serif';

/** One line a track; times in seconds of wall time. */
export function chartOptions({ width, height, tracks, title, least, most, marks }: ChartLook): uPlot.Options {
  const axis = { stroke: colour('--text-soft'), font, grid: { stroke: colour('--rule'), width: 1 } };
  return {
    width,
    height,
    cursor: { sync: { key: 'causeway' }, drag: { x: false, y: false } },
    legend: {
      live: true,
      markers: { width: 2, dash: (_plot, index) => borders[(index - 1) % borders.length] ?? 'solid' },
    },
    scales: {
      x: { time: true, auto: false },
      y: { range: (_plot, _least, greatest) => [0, Math.min(most, Math.max(least, greatest * 1.1))] },
    },
    axes: [
      {
        ...axis,
        values: (_plot, times) =>
          times.map((time) => hourAndMinute(time, (times[1] ?? 0) - (times[0] ?? 0) < 60)),
      },
      { ...axis, size: 44 },
    ],
    series: [
      { label: title, value: (_plot, time) => (time === null ? '' : hourAndMinute(time, true)) },
      ...tracks.map((track, index) => ({
        label: track.uplink,
        stroke: colour(`--line-${(index % lineColours) + 1}`),
        width: 1.5,
        dash: [...(dashes[index % dashes.length] ?? [])],
        points: { show: false },
        spanGaps: false,
        value: (_plot: uPlot, value: number | null) => (value === null ? '–' : value.toFixed(1)),
      })),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, marks())] },
  };
}

/** Rows that the names of marks may stand in. */
const nameRows = 5;

/** A line over the whole height, with the glyph and the uplink's name where there is room; never a name over another. */
function drawMarks(plot: uPlot, marks: readonly ChartMark[]): void {
  const { ctx, bbox, scales } = plot;
  const { min, max } = scales['x'] ?? {};
  if (min === undefined || max === undefined) return;
  const scale = window.devicePixelRatio;
  const inside = marks.filter(({ atMillis }) => atMillis / 1000 >= min && atMillis / 1000 <= max);
  const taken = Array.from({ length: nameRows }, () => -Infinity);
  ctx.save();
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.setLineDash([3 * scale, 3 * scale]);
  for (const { atMillis, uplink, glyph, tone } of [...inside].sort((a, b) => a.atMillis - b.atMillis)) {
    const x = plot.valToPos(atMillis / 1000, 'x', true);
    ctx.strokeStyle = colour(`--${tone}`);
    ctx.fillStyle = colour(`--${tone}`);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const text = `${glyph} ${uplink}`;
    const width = ctx.measureText(text).width;
    const isAtTheEnd = x + width + 4 * scale > bbox.left + bbox.width;
    const left = isAtTheEnd ? x - width - 3 * scale : x + 3 * scale;
    const row = taken.findIndex((right) => left > right);
    if (row === -1) continue;
    taken[row] = left + width + 4 * scale;
    ctx.fillText(text, left, bbox.top + (2 + row * 13) * scale);
  }
  ctx.restore();
}

function hourAndMinute(seconds: number, withSeconds = false): string {
  const at = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minute = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return withSeconds ? `${minute}:${two(at.getSeconds())}` : minute;
}

/** A colour of page.css, as the reader's scheme has it. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
