/** Work that is done one after the other, with a bounded queue; for what would take long if many asked at once. */

export interface OneByOne {
  /** Runs it when those before it have ended; null: too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T> | null;
}

export function oneByOne(waitingAtMost: number): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    run<T>(work: () => Promise<T>): Promise<T> | null {
      if (waiting >= waitingAtMost) return null;
      waiting += 1;
      const mine = last.then(work).finally(() => {
        waiting -= 1;
      });
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** Lets everything else that waits run first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
