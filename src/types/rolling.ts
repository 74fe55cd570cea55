/** Figures for people over a few lengths of time; they never decide. */
import type { Millis, Ratio } from './units.ts';

export interface WindowFigures {
  /** Answered and lost ones. */
  readonly probes: number;
  readonly loss: Ratio | null;
  readonly rttP50Millis: Millis | null;
  readonly rttP95Millis: Millis | null;
  readonly rttP99Millis: Millis | null;
  /** Mean difference of successive round trips (RFC 3393). */
  readonly jitterMillis: Millis | null;
}

export interface RollingFigures {
  readonly '1min': WindowFigures;
  readonly '5min': WindowFigures;
  readonly '1h': WindowFigures;
}
