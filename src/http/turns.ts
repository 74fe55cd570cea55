/**
 * Work that comes from outside is done in turns: in one turn of the event loop a few milliseconds of it at most, each
 * connection one piece after the other, so that the tick comes between whatever clients do.
 */

/** Something with pieces of work; it asks again when it has another one. */
export interface Worker {
  /** Does one piece. Must not throw. */
  work(): void;
}

/** How much of one turn of the event loop is given. */
const turnMillis = 1;
const piecesAtMost = 32;
/** A tick that takes longer waits for something else: BIRD, a disk. */
const longestHoldMillis = 50;

export interface Turns {
  /** Nothing is worked on until `go`, or for a twentieth of a second: a tick is under way. */
  hold(): void;
  go(): void;
  /** Puts the worker at the end of the queue, once. */
  ask(worker: Worker): void;
  /** It asks for nothing any more. */
  leave(worker: Worker): void;
}

export function openTurns(now: () => number = () => performance.now()): Turns {
  const queue = new Set<Worker>();
  let isDue = false;
  let held: NodeJS.Timeout | null = null;
  const plan = (): void => {
    if (isDue || held !== null || queue.size === 0) return;
    isDue = true;
    setImmediate(turn);
  };
  function go(): void {
    if (held !== null) clearTimeout(held);
    held = null;
    plan();
  }
  function turn(): void {
    isDue = false;
    if (held !== null) return;
    const until = now() + turnMillis;
    let pieces = 0;
    for (const worker of queue) {
      queue.delete(worker);
      worker.work();
      pieces += 1;
      if (pieces >= piecesAtMost || now() >= until) break;
    }
    plan();
  }
  return {
    hold() {
      if (held === null) held = setTimeout(go, longestHoldMillis);
    },
    go,
    ask(worker) {
      queue.add(worker);
      plan();
    },
    leave: (worker) => void queue.delete(worker),
  };
}
