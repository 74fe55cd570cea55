/** What has been decided since the last harvest, kept until the daemon takes it. */
import type { Outcome, Sample } from '../src/types/outcome.ts';
import { type Instant, type Millis, instant, millis } from '../src/types/units.ts';
import type { Stream } from './stream.ts';

export interface Harvest {
  readonly samples: readonly Sample[];
  readonly strays: number;
  readonly lagMillis: Millis;
}

export interface Basket {
  /** Of a stream that is still in the plan; others' outcomes are nobody's. */
  add(stream: Stream, sentAt: Instant, outcome: Outcome): void;
  stray(): void;
  /** The longest delay of our own loop is kept. */
  lag(lateMillis: number): void;
  /** All of it; afterwards it is empty. */
  take(): Harvest;
}

/** More samples than this are not kept for a daemon that does not take them; the oldest go. */
const mostSamples = 100_000;

export function makeBasket(): Basket {
  let samples: Sample[] = [];
  let strays = 0;
  let lagMillis = 0;
  return {
    add: (stream, sentAt, outcome) => {
      if (!stream.planned) return;
      samples.push({ task: stream.task.id, sentAt: instant(toMicros(sentAt)), outcome: rounded(outcome) });
    },
    stray: () => {
      strays += 1;
    },
    lag: (lateMillis) => {
      lagMillis = Math.max(lagMillis, lateMillis);
    },
    take: () => {
      const harvest = {
        samples: samples.slice(-mostSamples),
        strays,
        lagMillis: millis(toMicros(lagMillis)),
      };
      samples = [];
      strays = 0;
      lagMillis = 0;
      return harvest;
    },
  };
}

/** Whole microseconds: what lies below is noise and would double the messages to the daemon. */
function toMicros(valueMillis: number): number {
  return Math.round(valueMillis * 1e3) / 1e3;
}

function rounded(outcome: Outcome): Outcome {
  if (outcome.kind !== 'answered') return outcome;
  return { ...outcome, rttMillis: millis(toMicros(outcome.rttMillis)) };
}
