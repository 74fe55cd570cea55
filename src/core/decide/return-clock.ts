/** How long an uplink that measures well again is still held back: recovery.hold, doubled with each flap. */
import type { Verdict } from '../../types/health.ts';
import type { RecoveryPolicy } from '../../types/policy.ts';
import { after, elapsed, type Instant, type Millis, millis } from '../../types/units.ts';
import type { ReturnClock } from './memory.ts';

const neverBad: ReturnClock = { bad: false, flaps: 0, holdUntil: null };

/** Moves the clock by this tick's verdict. A spell that begins within maxHold of the last hold's end is a flap. */
export function windClock(
  clock: ReturnClock | undefined,
  verdict: Verdict,
  policy: RecoveryPolicy,
  now: Instant,
): ReturnClock {
  const before = clock ?? neverBad;
  switch (verdict.health) {
    case 'failed':
    case 'degraded': {
      if (before.bad) return before;
      const flapped = before.holdUntil !== null && elapsed(before.holdUntil, now) < policy.maxHoldMillis;
      return { bad: true, flaps: flapped ? before.flaps + 1 : 1, holdUntil: null };
    }
    case 'healthy':
      if (!before.bad) return before;
      return { ...before, bad: false, holdUntil: after(verdict.since, holdLength(before.flaps, policy)) };
    case 'unknown':
      return before;
  }
}

/** When an uplink with this verdict may return. Without a spell seen (a restart), the hold counts from the verdict. */
export function holdEnd(clock: ReturnClock, verdict: Verdict, policy: RecoveryPolicy): Instant {
  return clock.holdUntil ?? after(verdict.since, holdLength(clock.flaps, policy));
}

function holdLength(flaps: number, policy: RecoveryPolicy): Millis {
  const doubled = policy.holdMillis * 2 ** Math.min(30, Math.max(0, flaps - 1));
  return millis(Math.max(policy.holdMillis, Math.min(doubled, policy.maxHoldMillis)));
}
