/** Waiting for conditions with a deadline; nothing in the lab sleeps and hopes. */
import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  readonly timeoutMillis?: number;
  readonly everyMillis?: number;
}

/**
 * Asks until the answer is neither null, undefined nor false, and returns it. At the deadline (a minute unless given) it
 * throws an error that names what was waited for and, where `ask` threw, the last reason.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, null | undefined | false>> {
  const timeoutMillis = options.timeoutMillis ?? 60_000;
  const deadline = performance.now() + timeoutMillis;
  let last = '';
  for (;;) {
    try {
      const answer = await ask();
      if (isAnswer(answer)) return answer;
      last = '';
    } catch (error) {
      last = error instanceof Error ? `: ${error.message}` : '';
    }
    if (performance.now() >= deadline) throw new Error(`waited ${timeoutMillis} ms for ${what}${last}`);
    await pause(options.everyMillis ?? 20);
  }
}

function isAnswer<T>(answer: T): answer is Exclude<T, null | undefined | false> {
  return answer !== null && answer !== undefined && answer !== false;
}

/** Watches for a time that a condition stays true; throws as soon as `check` throws. */
export async function staysTrue(
  millis: number,
  check: () => void | Promise<void>,
  everyMillis = 50,
): Promise<void> {
  const end = performance.now() + millis;
  while (performance.now() < end) {
    await check();
    await pause(everyMillis);
  }
  await check();
}
