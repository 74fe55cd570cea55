/**
 * Guards 3 and 4 of the design, for one group (the uplinks of a service in a family): which failed uplinks may leave.
 *
 *   another one is good ────────────────────────────▶ leave at once
 *   none good, others undecided, within the wait ───▶ held: all-bad
 *   all failed within `together` ───────────────────▶ held: all-bad; only what is surely dead leaves
 *   failed further apart ───────────────────────────▶ leave, the worst first, but keepUplinks stay: last-resort
 */
import type { Guards } from '../../types/config.ts';
import { after, type Instant, type Millis } from '../../types/units.ts';
import type { AnnouncementWish, Held } from '../../types/wish.ts';
import { wishOf } from './desire.ts';
import { isCarried, isFailed, isGood, isSurelyDead, type Member, worstFirst } from './member.ts';

export interface Rung {
  readonly member: Member;
  readonly wish: AnnouncementWish;
}

/** Holds back the withdrawals that these guards do not let through; leaves every other wish as it is. */
export function guardLeaving(
  group: readonly Rung[],
  guards: Guards,
  waitMillis: Millis,
  now: Instant,
): readonly Rung[] {
  const members = group.map((rung) => rung.member);
  const leaving = group.filter((rung) => wantsToLeave(rung)).map((rung) => rung.member);
  if (leaving.length === 0) return group;
  const held = heldOnes(members, leaving, guards, waitMillis, now);
  return group.map((rung) => {
    const hold = held.get(rung.member);
    return hold === undefined ? rung : { member: rung.member, wish: heldWish(rung, hold) };
  });
}

function wantsToLeave({ member, wish }: Rung): boolean {
  return member.override === null && wish.state === 'withdraw' && member.standing.state !== 'withdraw';
}

function heldWish({ member, wish }: Rung, hold: Held): AnnouncementWish {
  const reason = hold.guard === 'all-bad' ? 'all-bad' : 'last-resort';
  return wishOf(member, member.standing.state, reason, `${hold.text}; ${wish.text}`, hold);
}

function heldOnes(
  members: readonly Member[],
  leaving: readonly Member[],
  guards: Guards,
  waitMillis: Millis,
  now: Instant,
): ReadonlyMap<Member, Held> {
  const carried = members.filter((member) => isCarried(member));
  if (!carried.some((member) => isGood(member))) {
    const allBad = heldAllBad(members, carried, leaving, guards, waitMillis, now);
    if (allBad !== null) return allBad;
  }
  return heldLast(carried, leaving, guards.keepUplinks);
}

/** null: the uplinks fail further apart, or something tells them apart; then they are judged one by one. */
function heldAllBad(
  members: readonly Member[],
  carried: readonly Member[],
  leaving: readonly Member[],
  guards: Guards,
  waitMillis: Millis,
  now: Instant,
): ReadonlyMap<Member, Held> | null {
  const firstFailedAt = Math.min(...leaving.map((member) => member.verdict.since));
  const until = after(
    leaving.find((member) => member.verdict.since === firstFailedAt)?.verdict.since ?? now,
    waitMillis,
  );
  if (carried.some((member) => isUndecided(member)) && now < until) {
    return holdAll(leaving, {
      guard: 'all-bad',
      text: 'no other uplink is good, waiting for their verdicts',
      until,
    });
  }
  const judged = members.filter((member) => member.override?.state !== 'withdraw');
  const failedAt = judged.map((member) => member.verdict.since);
  const together = Math.max(...failedAt) - Math.min(...failedAt) <= guards.togetherMillis;
  if (judged.length < 2 || !judged.every((member) => isFailed(member)) || !together) return null;
  const text =
    'all uplinks failed together: kept until one recovers, a gateway, link or session is down, or an operator speaks';
  const alike = carried.filter((member) => !isSurelyDead(member));
  const kept = alike.length === 0 ? leaving : leaving.filter((member) => !isSurelyDead(member));
  return holdAll(kept, { guard: 'all-bad', text, until: null });
}

function isUndecided(member: Member): boolean {
  return !isFailed(member) && !isGood(member);
}

function holdAll(members: readonly Member[], held: Held): ReadonlyMap<Member, Held> {
  return new Map(members.map((member) => [member, held]));
}

/** The least bad of those that want to leave stay, as many as keepUplinks still lacks. */
function heldLast(
  carried: readonly Member[],
  leaving: readonly Member[],
  keepUplinks: number,
): ReadonlyMap<Member, Held> {
  const staying = carried.filter((member) => !leaving.includes(member)).length;
  const leastBadFirst = [...leaving].sort(worstFirst).reverse();
  const onSession = leastBadFirst.filter((member) => member.session !== 'down');
  const order = [...onSession, ...leastBadFirst.filter((member) => member.session === 'down')];
  const kept = order.slice(0, Math.max(0, keepUplinks - staying));
  const text = `the last ${keepUplinks === 1 ? 'announcement' : `${keepUplinks} announcements`} of this node`;
  return holdAll(kept, { guard: 'last-resort', text, until: null });
}
