/** What a tick leaves for the next one. */
import { announcementKey } from '../../types/keys.ts';
import type { Instant } from '../../types/units.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import { lesser } from './attraction.ts';
import { addChange, type Penalty } from './damping.ts';
import { type Bounds, linkDesire } from './desire.ts';
import { waitingSince } from './dns-first.ts';
import { changeBetween } from './flap-budget.ts';
import type { World } from './group.ts';
import type { Rung } from './leaving.ts';
import { isCutOff, type Member } from './member.ts';
import type { DecideMemory, Standing, Wished } from './memory.ts';
import type { UplinkEvent } from './uplink-events.ts';

/** A group after its ladder: what link verdicts and overrides make of it, and what is wished in the end. */
export interface Decided {
  readonly key: string;
  readonly rungs: readonly Rung[];
  /** One for each rung. */
  readonly wishes: readonly AnnouncementWish[];
  /** With those of this group. */
  readonly events: readonly UplinkEvent[];
}

export function rememberAll(
  { input, before, clocks, readied, bounds }: World,
  groups: readonly Decided[],
  events: readonly UplinkEvent[],
): DecideMemory {
  const standing: Record<string, Standing> = {};
  const wished: Record<string, Wished> = {};
  const penalties: Record<string, Penalty> = {};
  for (const { rungs, wishes } of groups) {
    for (const [index, rung] of rungs.entries()) {
      const wish = wishes[index] ?? rung.wish;
      const key = announcementKey(wish.uplink, wish.service, wish.family);
      const { member } = rung;
      const link = member.override === null ? rung.wish : linkDesire(member, bounds);
      standing[key] = input.freeze === null ? standingAfter(member, link, input.now) : member.standing;
      wished[key] = { state: wish.state, beneath: beneath(member, wish, link, input.freeze !== null) };
      const penalty = penaltyAfter(member, wish, bounds);
      if (penalty !== undefined) penalties[key] = penalty;
    }
  }
  const consented = groups.filter((group) => isConsented(group, input, before)).map(({ key }) => key);
  const planned = waitingSince(
    groups.flatMap(({ wishes }) => wishes),
    before.planned,
    input.now,
  );
  return { standing, wished, penalties, clocks, events, readied, planned, consented, now: input.now };
}

/** A held or kept state keeps the memory of who made it so. */
function standingAfter(
  { standing: before, verdict }: Member,
  { state, reason, text, held }: AnnouncementWish,
  now: Instant,
): Standing {
  const byVerdict = state !== 'announce' && (state !== before.state || before.byVerdict || isVerdict(reason));
  const made = { state, reason, text, byVerdict };
  if (state !== 'drain' || verdict.health === 'degraded' || verdict.health === 'failed') return made;
  const since = held?.guard === 'canary' ? (before.canarySince ?? now) : before.canarySince;
  return since === undefined ? made : { ...made, canarySince: since };
}

function isVerdict(reason: AnnouncementWish['reason']): boolean {
  return ['loss', 'latency', 'jitter', 'mtu', 'regions', 'link-down'].includes(reason);
}

function beneath(
  { override, ceiling, wished, standing }: Member,
  wish: AnnouncementWish,
  link: AnnouncementWish,
  frozen: boolean,
): AnnouncementWish['state'] {
  if (override === null) return wish.state;
  if (frozen) return wished?.beneath ?? standing.state;
  return lesser(link.state, ceiling?.state ?? 'announce');
}

/** Counted as the carrier counts it: the reset of a session costs nothing, a change on one that is up does. */
function penaltyAfter(member: Member, wish: AnnouncementWish, { model, now }: Bounds): Penalty | undefined {
  const change = changeBetween(member.wished?.state ?? member.standing.state, wish.state);
  if (change === null || isCutOff(member)) return member.penalty;
  return addChange(model, member.penalty, change, now);
}

/** The last of the group left with consent, and nothing has been announced since. */
function isConsented({ key, rungs, wishes }: Decided, input: World['input'], before: DecideMemory): boolean {
  const carried = rungs.some(
    ({ member }, index) => wishes[index]?.state !== 'withdraw' && member.session !== 'down',
  );
  if (rungs.length === 0 || carried || input.fleet === null) return false;
  return before.consented.includes(key) || input.fleet.get(key)?.consent === 'given';
}
