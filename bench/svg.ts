/** The few parts that the plots of the benchmarks are drawn of. */

/** A drawing on white. */
export function drawing(width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** A logarithmic axis. */
export function scaleOf(from: number, to: number, start: number, end: number): (value: number) => number {
  return (value) => start + (Math.log(value / from) / Math.log(to / from)) * (end - start);
}

export function text(x: number, y: number, words: string, anchor: string, weight = 'normal'): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-weight="${weight}">${words.replaceAll('<', '&lt;')}</text>`;
}

export function gridLine(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="#ccc"/>`;
}

export function bar(x: number, y: number, width: number, height: number, colour: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(2, width))}" height="${round(height)}" fill="${colour}"/>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
