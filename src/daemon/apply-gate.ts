/** Between the `configure` commands of an apply, what the tick wants to send waits, for a second at most. */
import type { Step } from '../core/plan/plan.ts';

/** What the tick may send: everything, nothing yet, or what takes announcements and learnt routes away. */
export type Pass = 'all' | 'nothing' | 'urgent';

export interface ApplyGate {
  /** `wants`: whether there is something to send that takes away. */
  pass(wants: boolean): Pass;
}

/**
 * The steps that may be sent now. A session that an apply resets shows as down for a moment, so a return alone is no
 * reason to end the window: one that the wish asks for shows in the owned file, which the gate looks at too.
 */
export function stepsLetBy(gate: ApplyGate, steps: readonly Step[]): readonly Step[] {
  const takesAway = steps.filter(({ purpose }) => purpose !== 'return');
  switch (gate.pass(takesAway.length > 0)) {
    case 'all':
      return steps;
    case 'nothing':
      return [];
    case 'urgent':
      return takesAway;
  }
}
