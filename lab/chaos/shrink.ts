/** Makes a failing script short: leaves out what it fails without. Runs cost minutes, so their number is bounded. */
import type { Script } from './script.ts';

export interface Shrunk {
  readonly script: Script;
  readonly runs: number;
}

/**
 * `fails`: plays a script and says whether it breaks what was broken. Halves, quarters and so on are left out in turn
 * (delta debugging); what is returned was seen to fail, or is the script that was given.
 */
export async function shrink(
  given: Script,
  fails: (script: Script) => Promise<boolean>,
  mostRuns: number,
): Promise<Shrunk> {
  let runs = 0;
  let best = given;
  let parts = 2;
  while (best.faults.length > 1 && runs < mostRuns) {
    const size = Math.ceil(best.faults.length / parts);
    let smaller: Script | null = null;
    for (let from = 0; from < best.faults.length && smaller === null && runs < mostRuns; from += size) {
      const faults = [...best.faults.slice(0, from), ...best.faults.slice(from + size)];
      const candidate = trimmed({ ...best, faults });
      runs += 1;
      if (await fails(candidate)) smaller = candidate;
    }
    if (smaller !== null) {
      best = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(best.faults.length, parts * 2);
  }
  return { script: best, runs };
}

/** Only what began before it broke; the rest cannot have caused it. */
export function upTo(script: Script, brokenAfterMillis: number): Script {
  return trimmed({
    ...script,
    faults: script.faults.filter(({ startMillis }) => startMillis <= brokenAfterMillis),
  });
}

/** Begins with the first fault and ends a while after the last. */
function trimmed(script: Script): Script {
  const first = Math.min(...script.faults.map(({ startMillis }) => startMillis));
  const moveMillis = Number.isFinite(first) ? Math.max(0, first - 2000) : 0;
  const faults = script.faults.map((one) => ({ ...one, startMillis: one.startMillis - moveMillis }));
  const last = Math.max(0, ...faults.map(({ startMillis, lastsMillis }) => startMillis + lastsMillis));
  return { ...script, faults, durationMillis: last + 2000 };
}
