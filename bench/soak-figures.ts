/** The figures of a soak, hour by hour, and whether they are flat. Pure. */

/** After these hours the heap has its size: an hour of series, the memory's list of the last events. */
const warmHours = 2;
/** More than this between the first and the last third is a leak. */
const mostRiseMegabytes = 4;

/** One simulated hour. */
export interface HourFigures {
  readonly hour: number;
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
  readonly descriptors: number;
  readonly lagP50Millis: number;
  readonly lagP99Millis: number;
  readonly cpuSeconds: number;
  readonly changes: number;
}

/** Of the whole soak. */
export interface Verdict {
  readonly isFlat: boolean;
  readonly riseMegabytes: number;
  readonly descriptorsMore: number;
}

/** Lowest of the last third against the lowest of the first, after the warm-up. */
export function verdictOf(hours: readonly HourFigures[]): Verdict {
  const counted = hours.slice(Math.min(warmHours, Math.max(0, hours.length - 2)));
  const third = Math.max(1, Math.floor(counted.length / 3));
  const rise = (of: (one: HourFigures) => number): number =>
    Math.min(...counted.slice(-third).map(of)) - Math.min(...counted.slice(0, third).map(of));
  const riseMegabytes = rise((one) => one.heapMegabytes);
  const descriptorsMore = rise((one) => one.descriptors);
  return {
    isFlat: riseMegabytes <= mostRiseMegabytes && descriptorsMore <= 0,
    riseMegabytes,
    descriptorsMore,
  };
}

/** For the terminal, as it goes. */
export function rowOf(one: HourFigures | undefined): string {
  if (one === undefined) return '';
  const {
    hour,
    heapMegabytes,
    residentMegabytes,
    descriptors,
    lagP50Millis,
    lagP99Millis,
    cpuSeconds,
    changes,
  } = one;
  return `hour ${hour}: heap ${heapMegabytes} MB, resident ${residentMegabytes} MB, ${descriptors} descriptors, lag p50 ${lagP50Millis} / p99 ${lagP99Millis} ms, ${cpuSeconds} s of CPU, ${changes} changes so far`;
}

/** A table for the document. */
export function textOf(
  hours: readonly HourFigures[],
  { isFlat, riseMegabytes, descriptorsMore }: Verdict,
): string {
  const every = Math.max(1, Math.floor(hours.length / 8));
  const rows = hours
    .filter((_, index) => (index + 1) % every === 0 || index === 0)
    .map(
      (one) =>
        `| ${one.hour} | ${one.heapMegabytes} MB | ${one.residentMegabytes} MB | ${one.descriptors} | ${one.lagP50Millis} / ${one.lagP99Millis} ms | ${one.cpuSeconds} s | ${one.changes} |`,
    );
  return [
    '| hour | heap after collection | resident | descriptors | lag of the event loop, p50 / p99 | CPU in that hour | changes decided |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${isFlat ? 'Flat' : 'NOT flat'}: from the first to the last third of ${hours.length} simulated hours the heap rose by ${riseMegabytes.toFixed(1)} MB (reach ≤ ${mostRiseMegabytes}), descriptors by ${descriptorsMore} (reach 0). The lag counts whole batches of ticks, which at this speed come every 2 ms.`,
  ].join('\n');
}
