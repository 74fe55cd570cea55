/** Rungs 1 to 3 of the ladder: what an announcement should be before the guards look at its group. */
import type { RecoveryPolicy } from '../../types/policy.ts';
import type { Instant } from '../../types/units.ts';
import type { AnnouncementWish, Held } from '../../types/wish.ts';
import type { AnnounceState, WishReason } from '../../types/wire/enums.ts';
import type { Member } from './member.ts';
import type { ReturnClock } from './memory.ts';
import { holdEnd } from './return-clock.ts';

/** An operator's or a hand's word, else the link verdict, else what stands. */
export function desireOf(
  member: Member,
  clock: ReturnClock,
  policy: RecoveryPolicy,
  now: Instant,
): AnnouncementWish {
  const { override, verdict, standing } = member;
  if (override !== null) {
    const text = `${override.state} by ${override.author}: ${override.reason}`;
    return wishOf(member, override.state, 'override', text, null, override.author);
  }
  switch (verdict.health) {
    case 'unknown': {
      const reason = verdict.reason === 'first-window' ? 'as-found' : 'unknown-keep';
      return wishOf(member, standing.state, reason, `kept as it stands, ${verdict.text}`, null);
    }
    case 'failed':
      return wishOf(member, 'withdraw', wishReasonOf(member), verdict.text, null);
    case 'degraded':
      return returnTo(member, 'drain', clock, policy, now);
    case 'healthy':
      return returnTo(member, 'announce', clock, policy, now);
  }
}

/** A return from what a link verdict took away waits for the hold; anything else happens at once. */
function returnTo(
  member: Member,
  state: AnnounceState,
  clock: ReturnClock,
  policy: RecoveryPolicy,
  now: Instant,
): AnnouncementWish {
  const { standing, verdict } = member;
  const isReturn = attractiveness[state] > attractiveness[standing.state] && standing.byVerdict;
  const until = holdEnd(clock, verdict, policy);
  if (!isReturn || now >= until) return wishOf(member, state, wishReasonOf(member), verdict.text, null);
  const longer = clock.flaps > 1 ? `, longer after ${clock.flaps} failures in a row` : '';
  const text = `measures ${verdict.health} again, held back for now${longer}`;
  return wishOf(member, standing.state, 'hold', text, { guard: 'hold', text, until });
}

const attractiveness: Readonly<Record<AnnounceState, number>> = { withdraw: 0, drain: 1, announce: 2 };

/** The verdict's reason in the words of wishes. */
export function wishReasonOf(member: Member): WishReason {
  const { reason, health } = member.verdict;
  switch (reason) {
    case 'loss':
    case 'latency':
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
