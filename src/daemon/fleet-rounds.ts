/** When the fleet's cycles run: one at a time, each some time after the last, and sooner when somebody rings. */
import { monotonicNow } from './clock.ts';

export interface Rounds {
  /** Brings the next round forward. */
  ring(): void;
  /** Nothing begins any more; resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Between two rounds, however often it rings. */
const leastGapMillis = 50;

/** `rest`: how long to wait after a round. `round` never rejects but for a bug. */
export function startRounds(round: () => Promise<void>, rest: () => number): Rounds {
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Infinity;
  let closed = false;
  /** Brings the next one forward, never back. */
  const schedule = (waitMillis: number): void => {
    const at = monotonicNow() + waitMillis;
    if (closed || at >= dueAt) return;
    dueAt = at;
    clearTimeout(timer);
    timer = setTimeout(start, waitMillis).unref();
  };
  const start = (): void => {
    dueAt = Infinity;
    // What rang during a round is said right after it.
    if (running !== null) return schedule(leastGapMillis);
    running = round().finally(() => {
      running = null;
      schedule(rest());
    });
  };
  schedule(0);
  return {
    ring: () => schedule(leastGapMillis),
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

const retryMillis = { first: 250, most: 2000 } as const;

/** Two words make a node heard: while somebody new is met, both sides say their next ones so much sooner. */
const meetingPace = 4;

/** Until the next round: longer after each failure, and then never in step with the other nodes. */
export function restMillis(failures: number, isMeeting: boolean, usualMillis: number): number {
  if (failures === 0) return isMeeting ? usualMillis / meetingPace : usualMillis;
  const wait = Math.min(retryMillis.most, retryMillis.first * 2 ** Math.min(10, failures - 1));
  return wait * (0.75 + Math.random() / 4);
}
