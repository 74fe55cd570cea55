/** Round trips in 640 bins of 2 % each, from 0.05 ms to 16 s: medians for people, never for decisions. */
import { type Millis, millis } from '../../types/units.ts';

const smallestMillis = 0.05;
const growth = 1.02;
const bins = 640;
/** A stream and a bin are packed into one number: stream · rttSlots + bin. */
export const rttSlots = 1024;
/** Bins that are counted together, so that a quantile need not look at each. */
const binsPerGroup = 32;
const groups = bins / binsPerGroup;

/** The middle of each bin; three digits are more than the bins are good for. */
const middlesMillis: readonly Millis[] = Array.from({ length: bins }, (_, bin) =>
  millis(Number((smallestMillis * growth ** (bin + 0.5)).toPrecision(3))),
);

/** Counts per bin, then per group of bins, then all. Changed in place by `addRtt`. */
export type RttHistogram = Uint32Array;

export function newHistogram(): RttHistogram {
  return new Uint32Array(bins + groups + 1);
}

/** Adds (1) or takes out (-1) one round trip of a bin. */
export function addRtt(histogram: RttHistogram, bin: number, sign: 1 | -1): void {
  for (const at of [bin, bins + Math.floor(bin / binsPerGroup), bins + groups]) {
    histogram[at] = (histogram[at] ?? 0) + sign;
  }
}

/** The bin of a round trip; longer and shorter ones than the range fall into its ends. */
export function rttBin(rttMillis: Millis): number {
  if (rttMillis <= smallestMillis) return 0;
  return Math.min(bins - 1, Math.floor(Math.log(rttMillis / smallestMillis) / Math.log(growth)));
}

/** The round trip that a share of the counted ones does not exceed, to within 1 %; null where there are none. */
export function quantile(histogram: RttHistogram, share: number): Millis | null {
  const total = histogram[bins + groups] ?? 0;
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(share * total));
  let below = 0;
  let group = 0;
  while (group < groups - 1 && below + (histogram[bins + group] ?? 0) < rank) {
    below += histogram[bins + group] ?? 0;
    group += 1;
  }
  let bin = group * binsPerGroup;
  while (bin < bins - 1 && below + (histogram[bin] ?? 0) < rank) {
    below += histogram[bin] ?? 0;
    bin += 1;
  }
  return middlesMillis[bin] ?? null;
}
