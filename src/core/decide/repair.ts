/**
 * The repair of guard 3: if all that is left in a group has failed while something that a link verdict withdrew has
 * not, or if nothing is left at all, the best one is announced at once; holds, budgets and windows do not delay it. The
 * failed one leaves by the next tick, after the better one is announced. What a ceiling withdraws (a window, a service
 * that is not ready) is not repaired, and what left with the fleet's consent returns only when the fleet says that too
 * few other nodes announce it.
 */
import type { FleetWord } from '../../types/fleet-word.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import { wishOf, wishReasonOf } from './desire.ts';
import { effectiveState } from './layers.ts';
import type { Rung } from './leaving.ts';
import { isFailed, type Member, worstFirst } from './member.ts';

export interface RepairRules {
  readonly keepUplinks: number;
  readonly keepNodes: number;
  /** Whether the last announcement left with consent, or leaves with it now. */
  readonly consented: boolean;
  readonly fleet: FleetWord | undefined;
}

export function repair(group: readonly Rung[], rules: RepairRules): readonly Rung[] {
  const left = group.filter((rung) => effectiveState(rung) !== 'withdraw' && rung.member.session !== 'down');
  if (left.some(({ member }) => !isFailed(member))) return group;
  if (left.length === 0 && !mustNotBeDark(rules)) return group;
  const best = bestToReturn(group, left.length === 0);
  if (best === undefined) return group;
  return group.map((rung) => (rung.member === best ? { member: best, wish: returning(best) } : rung));
}

/** With keepUplinks 0 the operator chose that none may be left; then only something failed that is left is replaced. */
function mustNotBeDark({ keepUplinks, keepNodes, consented, fleet }: RepairRules): boolean {
  if (!consented) return keepUplinks > 0;
  const nodes = fleet?.announcingNodes ?? null;
  return nodes !== null && nodes < keepNodes;
}

/** The least bad one that a link verdict keeps away. With something failed still left, only a better one will do. */
function bestToReturn(group: readonly Rung[], nothingLeft: boolean): Member | undefined {
  const away = group
    .filter((rung) => effectiveState(rung) === 'withdraw' && mayReturn(rung.member))
    .map(({ member }) => member);
  const better = away.filter(({ verdict: { health } }) => health === 'healthy' || health === 'degraded');
  return worstFirst(nothingLeft ? away : better).at(-1);
}

function mayReturn(member: Member): boolean {
  const withdrawnByVerdict = member.standing.state !== 'withdraw' || member.standing.byVerdict;
  return (
    member.override === null &&
    member.ceiling?.state !== 'withdraw' &&
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
