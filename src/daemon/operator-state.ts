/** What operators and maintenance windows said, as the tick reads it. */
import type { DecideInput } from '../core/decide/decide.ts';
import type { Deadlines } from '../core/overrides/expiry.ts';
import type { Freeze } from '../types/freeze.ts';
import type { Override } from '../types/override.ts';

export interface OperatorState {
  freeze: Freeze | null;
  /** Of the windows that are open, or drained ahead; author `maintenance`. */
  maintenance: readonly Override[];
  /** When overrides end by monotonic time. */
  deadlines: Deadlines;
  /** What the last tick decided from; null: none has ended yet. */
  decided: DecideInput | null;
  /** An orderly stop of the daemon is under way. */
  leaving: 'drain' | 'withdraw' | null;
}

export function newOperatorState(): OperatorState {
  return { freeze: null, maintenance: [], deadlines: new Map(), decided: null, leaving: null };
}
