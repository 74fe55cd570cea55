/** Loss and round trips of the last minutes, for all uplinks in one family. */
import { type ChartMark, chartOptions } from './chart-options.ts';
import type { Model } from './model.ts';
import type { SeriesStore, TrackPoints } from './series-store.ts';
import { chartMarks } from './view-timeline.ts';
import type { Words } from './words.ts';

const heightPixels = 170;
const leastWidthPixels = 240;
const leastShownSeconds = 120;

export interface Charts {
  /** Draws what the model has now; does nothing when nothing changed. */
  draw(model: Model, words: Words): void;
}

/** What is on the screen: made anew when lines, language or scheme change, and only fed otherwise. */
interface Drawn {
  readonly look: string;
  readonly loss: uPlot;
  readonly latency: uPlot;
}

/** null: the library is not there. */
export function openCharts(lossPlace: HTMLElement, latencyPlace: HTMLElement): Charts | null {
  if (typeof uPlot === 'undefined') return null;
  let drawn: Drawn | null = null;
  let marks: readonly ChartMark[] = [];
  let fed = '';
  const width = (): number => Math.max(leastWidthPixels, lossPlace.clientWidth);
  const make = (look: string, tracks: readonly TrackPoints[], words: Words): Drawn => {
    drawn?.loss.destroy();
    drawn?.latency.destroy();
    const common = { width: width(), height: heightPixels, tracks, marks: () => marks };
    const loss = chartOptions({ ...common, title: words.chartLoss, least: 5, most: 100 });
    const latency = chartOptions({ ...common, title: words.chartLatency, least: 1, most: Infinity });
    return { look, loss: new uPlot(loss, [[]], lossPlace), latency: new uPlot(latency, [[]], latencyPlace) };
  };
  new ResizeObserver(() => {
    drawn?.loss.setSize({ width: width(), height: heightPixels });
    drawn?.latency.setSize({ width: width(), height: heightPixels });
  }).observe(lossPlace);
  return {
    draw(model, words) {
      const { series, family, minutes, history } = model;
      const tracks = [...series.tracks.values()].filter((track) => track.family === family);
      const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
      const look = [isDark, model.language, family, ...tracks.map(({ uplink }) => uplink)].join(' ');
      const second = Math.floor(Date.now() / 1000);
      const feed = [look, second, minutes, series.seconds.at(-1), history[0]?.id].join(' ');
      if (feed === fed) return;
      fed = feed;
      if (drawn?.look !== look) drawn = make(look, tracks, words);
      marks = chartMarks(history).filter((mark) => mark.family === family);
      feedBoth(drawn, series, tracks, minutes * 60);
    },
  };
}

/** The last `seconds` of them. */
function feedBoth(
  { loss, latency }: Drawn,
  series: SeriesStore,
  tracks: readonly TrackPoints[],
  seconds: number,
): void {
  const end = series.seconds.at(-1) ?? 0;
  const found = series.seconds.findIndex((second) => second > end - seconds);
  const from = Math.max(0, found);
  const offset = series.wallOffsetMillis / 1000;
  const times = series.seconds.slice(from).map((second) => second + offset);
  // A daemon that is young has less to show than was asked for.
  const shown = Math.min(seconds, Math.max(leastShownSeconds, end - firstKnown(series, tracks)));
  const range = { min: end + offset - shown, max: end + offset };
  for (const [plot, pointsOf] of [
    [loss, (track: TrackPoints) => lossPoints(track, from)],
    [latency, (track: TrackPoints) => track.rttP95Millis.slice(from)],
  ] as const) {
    plot.batch(() => {
      plot.setData([times, ...tracks.map((track) => pointsOf(track))], false);
      plot.setScale('x', range);
    });
    // Without a pointer over it the legend tells the latest second that is whole.
    if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: Math.max(0, times.length - 3) });
  }
}

/** The first second in which anything was measured; the last where nothing was. */
function firstKnown({ seconds }: SeriesStore, tracks: readonly TrackPoints[]): number {
  const at = seconds.findIndex((_second, index) =>
    tracks.some(({ answered, lost }) => (answered[index] ?? 0) + (lost[index] ?? 0) > 0),
  );
  return seconds[at] ?? seconds.at(-1) ?? 0;
}

/** In percent; nothing where nothing is known. */
function lossPoints({ answered, lost }: TrackPoints, from: number): (number | null)[] {
  return answered.slice(from).map((count, index) => {
    const gone = lost[from + index] ?? 0;
    return count + gone === 0 ? null : (100 * gone) / (count + gone);
  });
}
