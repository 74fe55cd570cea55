/** From the checks of a service to its readiness: not ready if one is not, ready if all are, else unknown. */
import type { ReadinessFact } from '../../types/readiness.ts';
import type { Instant } from '../../types/units.ts';
import type { ReadyCount, ReadyState } from './count.ts';

/** One check of the service: how it is called for people, and its count. */
export interface CountedCheck {
  readonly name: string;
  readonly count: ReadyCount;
}

/** The fact of a service with checks. `before`: the last one, whose `since` holds as long as the state does. */
export function combine(
  checks: readonly CountedCheck[],
  before: ReadinessFact | null,
  now: Instant,
): ReadinessFact {
  const state = stateOf(checks);
  const since = before?.state === state ? before.since : now;
  return { state, since, text: textOf(checks, state) };
}

function stateOf(checks: readonly CountedCheck[]): ReadyState {
  if (checks.some(({ count }) => count.state === 'not-ready')) return 'not-ready';
  return checks.every(({ count }) => count.state === 'ready') ? 'ready' : 'unknown';
}

/** Changes only with the state, or with the check that makes it. */
function textOf(checks: readonly CountedCheck[], state: ReadyState): string {
  const telling = checks.filter(({ count }) => count.state === state);
  const [first] = telling;
  if (first === undefined) return 'no check';
  if (state === 'ready' && checks.length > 1) return `all ${checks.length} checks pass`;
  const found = `${first.name}: ${first.count.because}`;
  return telling.length === 1 ? found : `${found}; and ${telling.length - 1} more`;
}

/** A check that has not run this often in a row is worth an alarm. */
const silentTimes = 3;

/** What an operator should know: checks that cannot run, so that what is known of them is old. */
export function notRunTexts(service: string, checks: readonly CountedCheck[]): readonly string[] {
  return checks.flatMap(({ name, count: { notRun, state } }) => {
    if (notRun === null || notRun.times < silentTimes) return [];
    return [`${service}: ${name} cannot be checked and stays ${state}: ${notRun.text}`];
  });
}
