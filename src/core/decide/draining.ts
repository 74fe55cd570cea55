/** Guard 3 for drains: a link verdict never drains the last undrained uplink of a group that is not failed. */
import { wishOf } from './desire.ts';
import type { Rung } from './leaving.ts';
import { isFailed, type Member, worstFirst } from './member.ts';

export function guardDraining(group: readonly Rung[]): readonly Rung[] {
  const draining = group.filter((rung) => wantsDrain(rung));
  if (draining.length === 0 || group.some((rung) => isUndrained(rung))) return group;
  const kept = leastBad(draining.map((rung) => rung.member));
  return group.map((rung) => {
    if (rung.member !== kept) return rung;
    const text = 'the last uplink that is not drained';
    const held = { guard: 'last-resort', text, until: null } as const;
    return {
      member: kept,
      wish: wishOf(kept, 'announce', 'last-resort', `${text}; ${rung.wish.text}`, held),
    };
  });
}

function wantsDrain({ member, wish }: Rung): boolean {
  return (
    member.override === null && wish.state === 'drain' && wish.reason !== 'hold' && member.session !== 'down'
  );
}

function isUndrained({ member, wish }: Rung): boolean {
  return wish.state === 'announce' && member.session !== 'down' && !isFailed(member);
}

/** Of those that are undrained now, so that two equally slow ones do not change places; else of all. */
function leastBad(members: readonly Member[]): Member | undefined {
  const undrained = members.filter((member) => member.standing.state === 'announce');
  return (undrained.length > 0 ? undrained : members).toSorted(worstFirst).at(-1);
}
