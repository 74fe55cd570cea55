/**
 * A deadline that counts only the time in which this process ran. A machine that was suspended, a stopped process or a
 * busy event loop must not make a service look dead: its answer may lie in the socket, unread.
 */

/** over: the time is up, all of it ours to wait; stalled: we ourselves were late again and again, so nothing can be said. */
export type DeadlineEnd = 'over' | 'stalled';

export interface Deadline {
  readonly end: Promise<DeadlineEnd>;
  stop(): void;
}

const slices = 4;
/** A slice that ends later than this is not counted: at least 5 ms, which is nobody's stall. */
const latenessOf = (sliceMillis: number): number => Math.max(5, sliceMillis / 2);
/** After so many slices, counted or not, we give up waiting for a quiet moment. */
const mostSlices = 3 * slices;

/** Ends after `timeoutMillis` of awake time. `stop` leaves `end` pending. */
export function startDeadline(
  timeoutMillis: number,
  clock: () => number = () => performance.now(),
): Deadline {
  const sliceMillis = timeoutMillis / slices;
  let timer: NodeJS.Timeout | null = null;
  const end = new Promise<DeadlineEnd>((resolve) => {
    const wait = (counted: number, spent: number): void => {
      if (counted === slices) return resolve('over');
      if (spent === mostSlices) return resolve('stalled');
      const began = clock();
      timer = setTimeout(() => {
        const late = clock() - began - sliceMillis;
        wait(late > latenessOf(sliceMillis) ? counted : counted + 1, spent + 1);
      }, sliceMillis);
    };
    wait(0, 0);
  });
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
  };
  return { end, stop };
}
