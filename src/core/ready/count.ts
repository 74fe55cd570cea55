/**
 * One readiness check, counted.
 *
 *   unknown ──rise passes in a row──▶ ready ──fall failures in a row──▶ not-ready ──rise passes in a row──▶ ready
 *      └────────fall failures in a row──────────────────────────────────▶ not-ready
 *
 * It starts unknown, which changes nothing. A check that did not run neither continues nor breaks a row.
 */
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import type { Instant } from '../../types/units.ts';

export type ReadyState = 'ready' | 'not-ready' | 'unknown';

export interface ReadyCount {
  readonly state: ReadyState;
  /** Since when the state is so. */
  readonly since: Instant;
  /** Of the row that would change the state; 0: there is none. */
  readonly inRow: number;
  /** Whether that row is of passes or of failures. */
  readonly row: 'passes' | 'failures';
  /** What the check that made the state found. It does not change while the state lasts, since BIRD's file shows it. */
  readonly because: string;
  /** What the last check that ran found; null: none has. */
  readonly text: string | null;
  /** Checks in a row that did not run, and why the last one did not; null: the last one ran. */
  readonly notRun: { readonly times: number; readonly text: string } | null;
}

export interface RiseAndFall {
  readonly rise: number;
  readonly fall: number;
}

/** Nothing is known yet. */
export function startCount(now: Instant): ReadyCount {
  const because = 'not checked often enough yet';
  return { state: 'unknown', since: now, inRow: 0, row: 'passes', because, text: null, notRun: null };
}

/** The count after one more outcome. */
export function count(
  before: ReadyCount,
  outcome: ReadyOutcome,
  limits: RiseAndFall,
  now: Instant,
): ReadyCount {
  if (outcome.kind === 'not-run')
    return { ...before, notRun: { times: (before.notRun?.times ?? 0) + 1, text: outcome.text } };
  const row = outcome.kind === 'pass' ? 'passes' : 'failures';
  const target: ReadyState = outcome.kind === 'pass' ? 'ready' : 'not-ready';
  const here = { text: outcome.text, notRun: null };
  if (before.state === target) return { ...before, ...here, inRow: 0, row };
  const inRow = before.row === row ? before.inRow + 1 : 1;
  const limit = outcome.kind === 'pass' ? limits.rise : limits.fall;
  if (inRow < limit) return { ...before, ...here, inRow, row };
  return { ...here, state: target, since: now, inRow: 0, row, because: outcome.text };
}
