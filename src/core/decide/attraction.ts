/** How much traffic a state draws: withdraw none, drain little, announce all. */
import type { AnnounceState } from '../../types/wire/enums.ts';

const order: Readonly<Record<AnnounceState, number>> = { withdraw: 0, drain: 1, announce: 2 };

/** Whether `state` draws more than `than`. */
export function drawsMore(state: AnnounceState, than: AnnounceState): boolean {
  return order[state] > order[than];
}

/** The one of the two that draws less. */
export function lesser(one: AnnounceState, other: AnnounceState): AnnounceState {
  return drawsMore(one, other) ? other : one;
}
