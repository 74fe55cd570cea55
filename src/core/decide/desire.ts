/**
 * What the link verdict of one uplink makes of an announcement before the guards look at its group. A return from what
 * a verdict took away waits for, in this order: the hold, the budget of uplink events, the flap budget; then it is a
 * canary: drained first. Anything else happens at once, but a drain that the flap budget has no room for.
 */
import type { RecoveryPolicy } from '../../types/policy.ts';
import { after, type Instant } from '../../types/units.ts';
import type { AnnounceState, Guard, WishReason } from '../../types/wire/enums.ts';
import type { AnnouncementWish, Held } from '../../types/wish.ts';
import { drawsMore, lesser } from './attraction.ts';
import type { DampingModel, RouteChange } from './damping.ts';
import { changeBetween, fitsFrom } from './flap-budget.ts';
import { type Member, stateInForce } from './member.ts';
import { holdEnd } from './return-clock.ts';

/** What returns are measured by. */
export interface Bounds {
  readonly recovery: RecoveryPolicy;
  readonly model: DampingModel;
  /** End of the window in which nothing more returns; null: the budget of uplink events has room. */
  readonly spentUntil: Instant | null;
  readonly now: Instant;
}

/** An operator's or a hand's word, else the link verdict, else what stands. */
export function desireOf(member: Member, bounds: Bounds): AnnouncementWish {
  const { override } = member;
  if (override === null) return linkDesire(member, bounds);
  const text = `${override.state} by ${override.author}: ${override.reason}`;
  return wishOf(member, override.state, 'override', text, null, override.author);
}

/** Without what an operator or a hand says. */
export function linkDesire(member: Member, bounds: Bounds): AnnouncementWish {
  const { verdict, standing } = member;
  switch (verdict.health) {
    case 'unknown': {
      const reason = verdict.reason === 'first-window' ? 'as-found' : 'unknown-keep';
      return wishOf(member, standing.state, reason, `kept as it stands, ${verdict.text}`, null);
    }
    case 'failed':
      return wishOf(member, 'withdraw', wishReasonOf(member), verdict.text, null);
    case 'degraded':
      return moveTo(member, 'drain', bounds);
    case 'healthy':
      return moveTo(member, 'announce', bounds);
  }
}

function moveTo(member: Member, state: AnnounceState, bounds: Bounds): AnnouncementWish {
  const { standing, verdict } = member;
  if (drawsMore(standing.state, state)) return drain(member, state, bounds);
  // What is announced already, by an override that ended, does not return.
  const isReturn = drawsMore(state, standing.state) && drawsMore(state, stateInForce(member));
  if (!isReturn || !standing.byVerdict)
    return wishOf(member, state, wishReasonOf(member), verdict.text, null);
  return (
    heldByHold(member, bounds) ?? heldByRate(member, bounds) ?? heldByFlaps(member, state, bounds) ?? step()
  );

  function step(): AnnouncementWish {
    const canary = state === 'announce' ? canaryOf(member, bounds) : null;
    return canary ?? wishOf(member, state, wishReasonOf(member), verdict.text, null);
  }
}

/** A drain changes attributes; where a carrier would count that as a flap too many, it stays announced. */
function drain(member: Member, state: AnnounceState, bounds: Bounds): AnnouncementWish {
  const { standing, verdict } = member;
  const until = fitsLater(member, [state], bounds);
  if (until === null) return wishOf(member, state, wishReasonOf(member), verdict.text, null);
  return heldWish(member, standing.state, 'flap', 'no drain, the flap budget is spent', until);
}

function heldByHold(member: Member, { recovery, now }: Bounds): AnnouncementWish | null {
  const { clock, verdict, standing } = member;
  const until = holdEnd(clock, verdict, recovery);
  if (now >= until) return null;
  const longer = clock.flaps > 1 ? `, longer after ${clock.flaps} failures in a row` : '';
  const text = `measures ${verdict.health} again, held back for now${longer}`;
  return wishOf(member, standing.state, 'hold', text, { guard: 'hold', text, until });
}

/** Of what was withdrawn, and of its canary; a drain that ends was none. */
function heldByRate(member: Member, { spentUntil }: Bounds): AnnouncementWish | null {
  const { state, canarySince: since } = member.standing;
  const isReturn = state === 'withdraw' || since !== undefined;
  if (spentUntil === null || !isReturn) return null;
  const text = 'no return, guards.max_withdrawals is reached';
  return heldWish(member, member.standing.state, 'rate', text, spentUntil);
}

function heldByFlaps(member: Member, state: AnnounceState, bounds: Bounds): AnnouncementWish | null {
  const until = fitsLater(member, [state], bounds);
  if (until === null) return null;
  return heldWish(member, member.standing.state, 'flap', 'no return, the flap budget is spent', until);
}

/** Drained for recovery.clean, then announced. Skipped where the two steps do not fit the flap budget. */
function canaryOf(member: Member, bounds: Bounds): AnnouncementWish | null {
  const { recovery, now } = bounds;
  const since = canarySince(member, bounds);
  if (since === null) return null;
  const until = after(since, recovery.cleanMillis);
  if (now >= until) return null;
  return heldWish(member, 'drain', 'canary', 'returned as a canary, drained first', until);
}

/** null: this return is none. */
function canarySince(member: Member, bounds: Bounds): Instant | null {
  const { standing } = member;
  if (bounds.recovery.canary === 'off') return null;
  if (standing.state === 'drain') return standing.canarySince ?? null;
  const isNew = standing.state === 'withdraw' && fitsLater(member, ['drain', 'announce'], bounds) === null;
  return isNew ? bounds.now : null;
}

/** When the flap budget has room for these steps of the announcement; null: now. What does not change costs nothing. */
function fitsLater(member: Member, states: readonly AnnounceState[], bounds: Bounds): Instant | null {
  let from = stateInForce(member);
  const changes: RouteChange[] = [];
  for (const state of states) {
    const to = lesser(state, member.ceiling?.state ?? 'announce');
    const change = changeBetween(from, to);
    if (change !== null) changes.push(change);
    from = to;
  }
  if (changes.length === 0) return null;
  return fitsFrom(bounds.model, member.penalty, changes, bounds.now);
}

/** The verdict's reason in the words of wishes. */
export function wishReasonOf(member: Member): WishReason {
  const { reason, health } = member.verdict;
  switch (reason) {
    case 'loss':
    case 'latency':
    case 'jitter':
    case 'mtu':
    case 'regions':
    case 'link-down':
      return reason;
    case 'healthy':
    case 'recovering':
    case 'too-few-samples':
    case 'first-window':
    case 'not-run':
    case 'prober-silent':
      return health === 'unknown' ? 'unknown-keep' : 'healthy';
  }
}

/** A wish about this member. */
export function wishOf(
  member: Member,
  state: AnnounceState,
  reason: WishReason,
  text: string,
  held: Held | null,
  author = 'causeway',
): AnnouncementWish {
  const { service, family } = member;
  return { service, uplink: member.uplink.name, family, state, reason, text, author, held };
}

/** A wish that a guard holds; the guard is its reason, and the text ends with what the verdict says. */
export function heldWish(
  member: Member,
  state: AnnounceState,
  guard: Exclude<Guard, 'samples'>,
  text: string,
  until: Instant | null,
): AnnouncementWish {
  return wishOf(member, state, guard, `${text}; ${member.verdict.text}`, { guard, text, until });
}
