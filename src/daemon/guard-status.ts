/** What the guards of this node allow now, for people. */
import type { DecideMemory } from '../core/decide/memory.ts';
import { recentEvents, spentUntil } from '../core/decide/uplink-events.ts';
import type { Guards } from '../types/config.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { GuardStatus } from '../types/wire/status.ts';

export function guardStatus(guards: Guards, { events }: DecideMemory, now: Instant): GuardStatus {
  const { keepUplinks, keepNodes, togetherMillis, maxWithdrawals, flapBudget } = guards;
  const recent = recentEvents(events, maxWithdrawals, now);
  const until = spentUntil(recent, maxWithdrawals);
  return {
    keepUplinks,
    keepNodes,
    togetherSeconds: togetherMillis / 1000,
    maxWithdrawals: {
      used: recent.length,
      count: maxWithdrawals.count,
      windowSeconds: maxWithdrawals.windowMillis / 1000,
      roomInSeconds: until === null ? null : Math.ceil(elapsed(now, until) / 1000),
    },
    flapBudget,
  };
}
