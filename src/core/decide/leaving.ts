/**
 * Guards 3 and 4 of the design, for one group (the uplinks of a service in a family): which failed uplinks may leave.
 *
 *   another one is good ────────────────────────────▶ leave at once
 *   none good, others undecided, within the wait ───▶ held: all-bad
 *   all failed within `together` ───────────────────▶ held: all-bad; only what is surely dead leaves
 *        … but other nodes see the targets well ────▶ this node's own fault: judged as those further apart; they are
 *                                                     believed once they have had the wait to fail as well
 *   failed further apart ───────────────────────────▶ leave, the worst first, but keepUplinks stay: last-resort
 *        … and the fleet consents ──────────────────▶ none need be left
 */
import type { Guards } from '../../types/config.ts';
import { after, type Instant, type Millis } from '../../types/units.ts';
import type { AnnouncementWish, Held } from '../../types/wish.ts';
import { wishOf } from './desire.ts';
import {
  isCarried,
  isFailed,
  isGood,
  isSurelyDead,
  type Member,
  stateInForce,
  worstFirst,
} from './member.ts';

export interface Rung {
  readonly member: Member;
  readonly wish: AnnouncementWish;
}

/** What a group's withdrawals are measured by. */
export interface LeavingRules {
  readonly guards: Guards;
  /** How long a failed uplink waits for the verdicts of the others. */
  readonly waitMillis: Millis;
  /** Whether the fleet says that enough other nodes announce the service. */
  readonly consent: boolean;
  /** Whether other nodes see well what has failed here. */
  readonly ownFault: boolean;
  readonly now: Instant;
}

/** Holds back the withdrawals that these guards do not let through; leaves every other wish as it is. */
export function guardLeaving(group: readonly Rung[], rules: LeavingRules): readonly Rung[] {
  const members = group.map((rung) => rung.member);
  const leaving = group.filter((rung) => wantsToLeave(rung)).map((rung) => rung.member);
  if (leaving.length === 0) return group;
  const held = heldOnes(members, leaving, rules);
  return group.map((rung) => {
    const hold = held.get(rung.member);
    return hold === undefined ? rung : { member: rung.member, wish: heldInPlace(rung, hold) };
  });
}

/** Whether its link verdict takes away what is announced now. */
export function wantsToLeave({ member, wish }: Rung): boolean {
  return (
    member.override === null &&
    isFailed(member) &&
    wish.state === 'withdraw' &&
    stateInForce(member) !== 'withdraw'
  );
}

/** What stays instead, with the guard's reason. */
export function heldInPlace({ member, wish }: Rung, hold: Held): AnnouncementWish {
  const reason = hold.guard === 'all-bad' || hold.guard === 'rate' ? hold.guard : 'last-resort';
  const state = member.standing.state === 'withdraw' ? stateInForce(member) : member.standing.state;
  return wishOf(member, state, reason, `${hold.text}; ${wish.text}`, hold);
}

function heldOnes(
  members: readonly Member[],
  leaving: readonly Member[],
  rules: LeavingRules,
): ReadonlyMap<Member, Held> {
  const carried = members.filter((member) => isCarried(member));
  if (carried.some((member) => isGood(member))) return heldLast(carried, leaving, rules);
  return heldAllBad(members, carried, leaving, rules) ?? heldLast(carried, leaving, rules);
}

/** null: the uplinks fail further apart, or something tells them apart; then they are judged one by one. */
function heldAllBad(
  members: readonly Member[],
  carried: readonly Member[],
  leaving: readonly Member[],
  { guards, waitMillis, ownFault, now }: LeavingRules,
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
  const judged = members.filter((member) => !isTakenAway(member));
  const failedAt = judged.map((member) => member.verdict.since);
  const lastFailedAt = Math.max(...failedAt);
  const together = lastFailedAt - Math.min(...failedAt) <= guards.togetherMillis;
  if (judged.length < 2 || !judged.every((member) => isFailed(member)) || !together) return null;
  // What all nodes share fails on each at its own moment: who decides first would see the others still well.
  if (ownFault && now - lastFailedAt >= waitMillis) return null;
  const text =
    'all uplinks failed together: kept until one recovers, a gateway, link or session is down, another node sees the targets well, or an operator speaks';
  const alike = carried.filter((member) => !isSurelyDead(member));
  const kept = alike.length === 0 ? leaving : leaving.filter((member) => !isSurelyDead(member));
  return holdAll(kept, { guard: 'all-bad', text, until: null });
}

function isTakenAway({ override, ceiling }: Member): boolean {
  return (override ?? ceiling)?.state === 'withdraw';
}

function isUndecided(member: Member): boolean {
  return !isFailed(member) && !isGood(member);
}

function holdAll(members: readonly Member[], held: Held): ReadonlyMap<Member, Held> {
  return new Map(members.map((member) => [member, held]));
}

/** The least bad of those that want to leave stay, as many as keepUplinks still lacks; with consent, none. */
function heldLast(
  carried: readonly Member[],
  leaving: readonly Member[],
  { guards: { keepUplinks }, consent }: LeavingRules,
): ReadonlyMap<Member, Held> {
  if (consent) return new Map();
  const staying = carried.filter((member) => !leaving.includes(member)).length;
  const leastBadFirst = worstFirst(leaving).toReversed();
  const onSession = leastBadFirst.filter((member) => member.session !== 'down');
  const order = [...onSession, ...leastBadFirst.filter((member) => member.session === 'down')];
  const kept = order.slice(0, Math.max(0, keepUplinks - staying));
  const text = `the last ${keepUplinks === 1 ? 'announcement' : `${keepUplinks} announcements`} of this node`;
  return holdAll(kept, { guard: 'last-resort', text, until: null });
}
