/** Chance that is the same for the same seed. */

/** Numbers from 0 up to 1. */
export type Chance = () => number;

/** Mulberry32: 32 bits of state, fast, and good enough for losses. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Moments in which everything is lost: exponential lengths of this mean, together this share of the time. */
export interface Bursts {
  readonly share: number;
  readonly meanMillis: number;
}

/** Whether a burst covers a time; asked in the order of time. */
export function burstsOf({ share, meanMillis }: Bursts, chance: Chance): (atMillis: number) => boolean {
  if (share === 0) return () => false;
  const long = (mean: number): number => -Math.log(1 - chance()) * mean;
  const gapMillis = (meanMillis * (1 - share)) / share;
  let from = long(gapMillis);
  let to = from + long(meanMillis);
  return (atMillis) => {
    while (atMillis >= to) {
      from = to + long(gapMillis);
      to = from + long(meanMillis);
    }
    return atMillis >= from;
  };
}
