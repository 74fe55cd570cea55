/** Chance that is the same for the same seed, so that every rule meets the same trace and a run can be repeated. */

/** Numbers from 0 up to 1. */
export type Random = () => number;

/** Mulberry32: 32 bits of state, fast, and good enough for losses. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A time between events that come without memory. */
export function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random()) * mean;
}

/** How many trials go well before one that does not, at that share; Infinity where none ever fails. */
export function trialsBefore(random: Random, share: number): number {
  return share > 0 ? Math.floor(Math.log(1 - random()) / Math.log1p(-share)) : Infinity;
}
