/**
 * The flap budget for what returns because maintenance ended or a service became ready: where it is spent, the
 * announcement stays as it was until there is room. If only failed ones of the group, or none, would be
 * announced then, the best returns.
 */
import type { AnnouncementWish } from '../../types/wish.ts';
import { drawsMore } from './attraction.ts';
import { type Bounds, heldWish } from './desire.ts';
import { changeBetween, fitsFrom } from './flap-budget.ts';
import type { Rung } from './leaving.ts';
import { isFailed, worstFirst } from './member.ts';

/** `group` has the wishes under their ceilings. */
export function dampRises(group: readonly Rung[], bounds: Bounds): readonly Rung[] {
  const damped = group.map((rung) => ({ rung, wish: dampedRise(rung, bounds) }));
  const isDark = damped.every(
    ({ rung, wish }) =>
      (wish ?? rung.wish).state === 'withdraw' || rung.member.session === 'down' || isFailed(rung.member),
  );
  const rising = damped.filter(({ rung, wish }) => wish !== null && rung.member.session !== 'down');
  const best = worstFirst(rising.map(({ rung }) => rung.member)).at(-1);
  return damped.map((one) =>
    one.wish === null || (isDark && one.rung.member === best) ? one.rung : { ...one.rung, wish: one.wish },
  );
}

/** null: it rises as it wishes, or does not rise. */
function dampedRise({ member, wish }: Rung, { model, now }: Bounds): AnnouncementWish | null {
  const { wished, override, standing, isBackup } = member;
  if (wished === null || override !== null || isBackup || wished.beneath !== wished.state) return null;
  // What the link verdict itself brings back was measured by the budget before.
  if (!drawsMore(wish.state, wished.state) || drawsMore(wish.state, standing.state)) return null;
  const change = changeBetween(wished.state, wish.state);
  const until = change === null ? null : fitsFrom(model, member.penalty, [change], now);
  if (until === null) return null;
  return heldWish(member, wished.state, 'flap', 'no return, the flap budget is spent', until);
}
