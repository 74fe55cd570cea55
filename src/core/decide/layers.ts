/** What stands above and beneath the link verdict of a member: ceilings take away from what it wishes, overrides do not. */
import type { AnnounceState } from '../../types/wire/enums.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import { drawsMore, lesser } from './attraction.ts';
import { wishOf } from './desire.ts';
import type { Rung } from './leaving.ts';

/** What becomes of the announcement, ceiling and all. */
export function effectiveState({ member, wish }: Rung): AnnounceState {
  if (member.override !== null || member.ceiling === null) return wish.state;
  return lesser(wish.state, member.ceiling.state);
}

/** The wish under the ceiling, which speaks first where both say the same. */
export function underCeiling(rung: Rung): AnnouncementWish {
  const { member, wish } = rung;
  const { override, ceiling } = member;
  if (override !== null || ceiling === null || ceiling.state === 'announce') return wish;
  if (drawsMore(ceiling.state, wish.state)) return wish;
  return wishOf(member, ceiling.state, ceiling.reason, ceiling.text, ceiling.held, ceiling.author);
}
