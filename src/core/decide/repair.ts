/**
 * The repair of guard 3: if all that is left in a group has failed while something that a link verdict withdrew has
 * not, or if nothing is left at all, the best one is announced at once; holds and windows do not delay it. The failed
 * one leaves by the next tick, after the better one is announced.
 */
import type { AnnouncementWish } from '../../types/wish.ts';
import { wishOf, wishReasonOf } from './desire.ts';
import type { Rung } from './leaving.ts';
import { isFailed, type Member, worstFirst } from './member.ts';

/** With keepUplinks 0 the operator chose that none may be left; then only something failed that is left is replaced. */
export function repair(group: readonly Rung[], keepUplinks: number): readonly Rung[] {
  const left = group.filter(({ member, wish }) => wish.state !== 'withdraw' && member.session !== 'down');
  if (left.some(({ member }) => !isFailed(member))) return group;
  if (left.length === 0 && keepUplinks === 0) return group;
  const best = bestToReturn(group, left.length === 0);
  if (best === undefined) return group;
  return group.map((rung) => (rung.member === best ? { member: best, wish: returning(best) } : rung));
}

/** The least bad one that a link verdict keeps away. With something failed still left, only a better one will do. */
function bestToReturn(group: readonly Rung[], nothingLeft: boolean): Member | undefined {
  return group
    .filter(({ member, wish }) => wish.state === 'withdraw' && mayReturn(member))
    .map(({ member }) => member)
    .filter(
      (member) => nothingLeft || member.verdict.health === 'healthy' || member.verdict.health === 'degraded',
    )
    .sort(worstFirst)
    .at(-1);
}

function mayReturn(member: Member): boolean {
  const withdrawnByVerdict = member.standing.state !== 'withdraw' || member.standing.byVerdict;
  return (
    member.override === null &&
    withdrawnByVerdict &&
    member.session !== 'down' &&
    member.verdict.reason !== 'link-down'
  );
}

function returning(member: Member): AnnouncementWish {
  if (!isFailed(member) && member.verdict.health !== 'unknown') {
    const state = member.verdict.health === 'degraded' ? 'drain' : 'announce';
    return wishOf(
      member,
      state,
      wishReasonOf(member),
      `${member.verdict.text}; nothing better is left`,
      null,
    );
  }
  const text = `the best that is left; ${member.verdict.text}`;
  return wishOf(member, 'announce', 'last-resort', text, { guard: 'last-resort', text, until: null });
}
