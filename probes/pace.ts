/**
 * When the probes of one stream go out: a grid of even slots, each moved by up to a tenth of the interval so that
 * streams do not fall into step with each other or with anything periodic on the path (RFC 2330 section 11.1.2).
 * After a stall the missed slots are gone: a burst would measure the burst.
 */
import { type Instant, type Millis, instant } from '../src/types/units.ts';

export interface Pace {
  readonly intervalMillis: Millis;
  /** The even slot that `nextAt` belongs to. */
  readonly slotAt: Instant;
  readonly nextAt: Instant;
}

/** Share of the interval that a slot may move to either side. */
export const jitterShare = 0.1;

/**
 * Phases of streams 0, 1, 2… between 0 and 1, spread evenly for any number of streams (multiples of the golden
 * ratio), so that a plan of forty streams does not send forty probes at once.
 */
export function phaseOf(index: number): number {
  return (index * 0.6180339887498949) % 1;
}

/** A new stream's pace; the first slot comes within one interval of `now`. */
export function startPace(intervalMillis: Millis, phase: number, now: Instant): Pace {
  const at = instant(now + intervalMillis * phase);
  return { intervalMillis, slotAt: at, nextAt: at };
}

/**
 * The slot after one that was used at `now`; `random` is between 0 and 1. At least half an interval lies between
 * `now` and it, whatever the delay, and it lies after `now` by at most 1.6 intervals.
 */
export function nextPace(pace: Pace, random: number, now: Instant): Pace {
  const interval = pace.intervalMillis;
  const move = (random * 2 - 1) * jitterShare * interval;
  const behind = now - pace.slotAt;
  let slot = pace.slotAt + interval * Math.max(1, Math.ceil(behind / interval));
  if (slot + move - now < interval / 2) slot += interval;
  return { intervalMillis: pace.intervalMillis, slotAt: instant(slot), nextAt: instant(slot + move) };
}
