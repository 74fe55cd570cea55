/**
 * `guards.max_withdrawals` over what leaves: while no good one is announced, a withdrawal needs room in the window. It is
 * asked last of the guards on leaving, so that nothing that another guard keeps takes the room of one that would leave.
 */
import type { Guards } from '../../types/config.ts';
import { after, type Instant } from '../../types/units.ts';
import type { Held } from '../../types/wish.ts';
import { heldInPlace, type Rung, wantsToLeave } from './leaving.ts';
import { isCarried, isCutOff, isGood, worstFirst } from './member.ts';
import { isCounted, recentEvents, spentUntil, type UplinkEvent } from './uplink-events.ts';

export interface RateRules {
  readonly guards: Guards;
  /** Uplink events that were counted until now. */
  readonly events: readonly UplinkEvent[];
  /** Whether a freeze keeps whatever leaves here. */
  readonly frozen: boolean;
  readonly now: Instant;
}

/** Holds the withdrawals that there is no room for, `rate`; the worst take what is left of it. */
export function guardRate(group: readonly Rung[], rules: RateRules): readonly Rung[] {
  if (group.some(({ member }) => isCarried(member) && isGood(member))) return group;
  const { guards, events, frozen, now } = rules;
  const { maxWithdrawals, togetherMillis } = guards;
  const recent = recentEvents(events, maxWithdrawals, now);
  const leaving = group.filter((rung) => wantsToLeave(rung)).map(({ member }) => member);
  const uncounted = worstFirst(leaving).filter(
    (member) => !isCutOff(member) && !isCounted(recent, member.uplink.name, togetherMillis, now),
  );
  const room = Math.max(0, maxWithdrawals.count - recent.length);
  // In a freeze nobody leaves, so nobody takes the room of another: the time named for it would never come.
  const held = frozen && room > 0 ? [] : uncounted.slice(room);
  const until = spentUntil(recent, maxWithdrawals) ?? after(now, maxWithdrawals.windowMillis);
  const text = 'guards.max_withdrawals is reached and no other uplink is good';
  const hold: Held = { guard: 'rate', text, until };
  return group.map((rung) =>
    held.includes(rung.member) ? { ...rung, wish: heldInPlace(rung, hold) } : rung,
  );
}
