/**
 * Guard 3 for drains: a link verdict never drains the last undrained uplink of a group that is not failed, and where
 * none is left undrained, one that measures healthy is announced without waiting for its hold, canary or budget.
 */
import type { Guard } from '../../types/wire/enums.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import { wishOf } from './desire.ts';
import { effectiveState } from './layers.ts';
import type { Rung } from './leaving.ts';
import { isFailed, type Member, worstFirst } from './member.ts';

export function guardDraining(group: readonly Rung[]): readonly Rung[] {
  const draining = group.filter((rung) => isDrained(rung));
  if (draining.length === 0 || group.some((rung) => isUndrained(rung))) return group;
  const kept = leastBad(draining.map((rung) => rung.member));
  return group.map((rung) =>
    rung.member === kept ? { member: kept, wish: undrained(kept, rung.wish) } : rung,
  );
}

/** Drained by a link verdict, or by a guard that delays its return. */
function isDrained({ member, wish }: Rung): boolean {
  return (
    member.override === null &&
    member.ceiling === null &&
    wish.state === 'drain' &&
    wish.reason !== 'unknown-keep' &&
    wish.reason !== 'as-found' &&
    member.session !== 'down' &&
    !isFailed(member)
  );
}

function isUndrained(rung: Rung): boolean {
  return effectiveState(rung) === 'announce' && rung.member.session !== 'down' && !isFailed(rung.member);
}

/** Of those that are undrained now, so that two equally slow ones do not change places; else of all. */
function leastBad(members: readonly Member[]): Member | undefined {
  const now = members.filter((member) => member.standing.state === 'announce');
  return worstFirst(now.length > 0 ? now : members).at(-1);
}

const delays: readonly (Guard | undefined)[] = ['hold', 'canary', 'rate', 'flap'];

function undrained(member: Member, wish: AnnouncementWish): AnnouncementWish {
  const text = 'the last uplink that is not drained';
  if (member.verdict.health === 'healthy' && delays.includes(wish.held?.guard))
    return wishOf(member, 'announce', 'healthy', `${text}; ${member.verdict.text}`, null);
  const held = { guard: 'last-resort', text, until: null } as const;
  return wishOf(member, 'announce', 'last-resort', `${text}; ${wish.text}`, held);
}
