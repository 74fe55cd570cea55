/** Detection delay against loss, and false alarms a year, as one SVG. */
import type { ArenaFigures } from './figures.ts';
import { contestants } from './jobs.ts';
import { bar, drawing, gridLine, round, scaleOf, text } from '../svg.ts';

const width = 960;
const height = 460;
const left = { x: 60, y: 50, width: 430, height: 350 };
const right = { x: 700, y: 50, width: 230, height: 350 };
const colours = ['#0b6e4f', '#5fb49c', '#c1121f', '#e07a1f', '#7b4fa3', '#2f6db5', '#8a8a8a'];

const losses = [2, 5, 10, 20, 50, 100];
const slowestSeconds = 300;
const fastestSeconds = 0.5;
const mostPerYear = 1_000_000;
/** What stands at the lower end of the axis of rates: none seen. */
const leastPerYear = 0.1;

/** `quietName`: the scenario whose false alarms are drawn. */
export function plotOf(figures: ArenaFigures, quietName: string): string {
  return drawing(width, height, [...delayPanel(figures), ...quietPanel(figures, quietName)]);
}

function delayPanel(figures: ArenaFigures): readonly string[] {
  const x = scaleOf(losses[0] ?? 1, 100, left.x, left.x + left.width);
  const y = scaleOf(fastestSeconds, slowestSeconds, left.y + left.height, left.y);
  const lines = contestants.flatMap((rule, index) => {
    const points = losses.flatMap((loss) => {
      const median = figures.delay.get(`${loss} % loss`)?.get(rule)?.medianSeconds ?? null;
      return median === null ? [] : [{ x: x(loss), y: y(Math.max(median, fastestSeconds)) }];
    });
    const colour = colours[index] ?? 'black';
    return [
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map((point) => `${round(point.x)},${round(point.y)}`).join(' ')}"/>`,
      ...points.map(
        (point) => `<circle cx="${round(point.x)}" cy="${round(point.y)}" r="3" fill="${colour}"/>`,
      ),
    ];
  });
  return [
    text(left.x, left.y - 20, 'Median seconds to a verdict (a line that ends: never)', 'start', 'bold'),
    ...[0.5, 1, 3, 10, 30, 100, 300].flatMap((value) => [
      gridLine(left.x, y(value), left.x + left.width, y(value)),
      text(left.x - 8, y(value) + 4, String(value), 'end'),
    ]),
    ...losses.map((loss) => text(x(loss), left.y + left.height + 18, `${loss} %`, 'middle')),
    text(left.x + left.width / 2, left.y + left.height + 40, 'loss that begins', 'middle'),
    ...lines,
  ];
}

function quietPanel(figures: ArenaFigures, quietName: string): readonly string[] {
  const x = scaleOf(leastPerYear, mostPerYear, right.x, right.x + right.width);
  const step = right.height / contestants.length;
  const bars = contestants.flatMap((name, index) => {
    const figure = figures.quiet.get(quietName)?.get(name);
    const rate = figure?.perYear ?? 0;
    const end = x(Math.min(mostPerYear, Math.max(rate, leastPerYear)));
    const top = right.y + index * step + step / 4;
    const label = figure === undefined || rate > 0 ? rateText(rate) : `0 in ${figure.days} days`;
    return [
      bar(right.x, top, end - right.x, step / 2, colours[index] ?? 'black'),
      text(right.x - 8, top + step / 4 + 4, name, 'end'),
      text(end + 6, top + step / 4 + 4, label, 'start'),
    ];
  });
  return [
    text(right.x - 170, right.y - 20, `False alarms a year: ${quietName}`, 'start', 'bold'),
    gridLine(right.x, right.y, right.x, right.y + right.height),
    ...bars,
  ];
}

function rateText(rate: number): string {
  return rate >= 10 ? Math.round(rate).toLocaleString('en') : rate.toPrecision(2);
}
