/**
 * Commands of operators, carried out between two ticks and never beside one: what a tick looks at does not change under
 * it, and what a command answers is of one moment.
 */
export interface CommandQueue {
  /** Carries it out before the next tick. Rejects with what the work throws, or as NotTaken where it never begins. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Carries out all that waits, in the order in which it came. */
  attend(): Promise<void>;
  /** Called for each command that comes, so that nobody waits for the tick's time. */
  onCommand(wake: () => void): void;
  /** Nothing is carried out any more. */
  close(why: string): void;
}

/** The daemon ends, or too many commands wait. The message is for the operator. */
export class NotTaken extends Error {}

interface Waiting {
  readonly carryOut: () => Promise<void>;
  readonly refuse: (error: Error) => void;
}

/** More than this at once is no operator. */
const mostWaiting = 64;

export function openCommandQueue(): CommandQueue {
  let waiting: Waiting[] = [];
  let closed: string | null = null;
  let wakeUp: () => void = () => undefined;
  return {
    run(work) {
      return new Promise((resolve, reject) => {
        if (closed !== null || waiting.length >= mostWaiting) {
          reject(new NotTaken(closed ?? 'too many commands wait already: try again'));
          return;
        }
        waiting.push({ carryOut: () => work().then(resolve, reject), refuse: reject });
        wakeUp();
      });
    },
    async attend() {
      const now = waiting;
      waiting = [];
      for (const { carryOut } of now) await carryOut();
    },
    onCommand(wake) {
      wakeUp = wake;
    },
    close(why) {
      closed = why;
      for (const { refuse } of waiting) refuse(new NotTaken(why));
      waiting = [];
    },
  };
}
