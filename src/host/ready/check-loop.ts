/**
 * One check, again and again, apart from all others: a hung one is told at its timeout, delays nobody, and is never
 * started a second time while the first has not come back.
 */
import type { ReadyCheck } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { unreachable } from '../../types/unreachable.ts';
import { startDeadline } from './deadline.ts';
import { asks, type RunCheck } from './run-check.ts';

export interface CheckLoop {
  stop(): void;
}

/** Starts after `delayMillis`, which spreads the checks over their interval. `tell` gets each outcome. */
export function startCheckLoop(
  check: ReadyCheck,
  run: RunCheck,
  tell: (outcome: ReadyOutcome) => void,
  delayMillis = 0,
): CheckLoop {
  const stopped = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let hung = false;
  const next = (beganAt: number): void => {
    if (stopped.signal.aborted) return;
    timer = setTimeout(() => void once(), Math.max(0, beganAt + check.intervalMillis - performance.now()));
  };
  const once = async (): Promise<void> => {
    const beganAt = performance.now();
    if (hung) tell(hungOutcome(check));
    else {
      const outcome = await within(check, run, stopped.signal, (isHung) => {
        hung = isHung;
      });
      if (!stopped.signal.aborted) tell(outcome);
    }
    next(beganAt);
  };
  timer = setTimeout(() => void once(), delayMillis);
  return {
    stop() {
      stopped.abort();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Once, within its timeout. */
export function checkOnce(check: ReadyCheck, run: RunCheck): Promise<ReadyOutcome> {
  return within(check, run, new AbortController().signal, () => undefined);
}

async function within(
  check: ReadyCheck,
  run: RunCheck,
  stop: AbortSignal,
  setHung: (isHung: boolean) => void,
): Promise<ReadyOutcome> {
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  stop.addEventListener('abort', abort, { once: true });
  const deadline = startDeadline(check.timeoutMillis);
  const work = run(check.probe, ending.signal).finally(() => setHung(false));
  try {
    const first = await Promise.race([work, deadline.end]);
    if (typeof first === 'object') return first;
    setHung(true);
    abort();
    switch (first) {
      case 'over':
        return hungOutcome(check);
      case 'stalled':
        return { kind: 'not-run', text: 'this machine was too busy to wait for the answer' };
      default:
        return unreachable(first);
    }
  } finally {
    deadline.stop();
    stop.removeEventListener('abort', abort);
  }
}

function hungOutcome({ probe, timeoutMillis }: ReadyCheck): ReadyOutcome {
  return asks(probe.kind) === 'service'
    ? { kind: 'fail', text: `no answer in ${timeoutMillis} ms` }
    : { kind: 'not-run', text: `no answer from this machine in ${timeoutMillis} ms` };
}
