/**
 * A member is one service on one uplink in one family; the members of a service and family form a group, and the
 * guards look at groups. What is known of a member now stands here, so that the ladder reads plainly.
 */
import type { Uplink } from '../../types/config.ts';
import type { UplinkHealth, Verdict } from '../../types/health.ts';
import type { Override } from '../../types/override.ts';
import type { Family } from '../../types/units.ts';
import type { AnnounceState } from '../../types/wire/enums.ts';
import { lesser } from './attraction.ts';
import type { Ceiling } from './ceiling.ts';
import type { Penalty } from './damping.ts';
import type { ReturnClock, Standing, Wished } from './memory.ts';

/** Of a BGP session: `down` only when it has surely been down for a while. */
export type SessionFact = 'up' | 'down' | 'unknown';

export interface Member {
  readonly service: string;
  readonly uplink: Uplink;
  readonly family: Family;
  readonly verdict: Verdict;
  readonly gateway: Verdict | null;
  readonly session: SessionFact;
  /** Of an operator or a hand. */
  readonly override: Override | null;
  /** The most that maintenance, the boot or readiness leave. */
  readonly ceiling: Ceiling | null;
  /** Announced fully only where no other uplink of the group can be. */
  readonly isBackup: boolean;
  /** What link verdicts made of it until now. */
  readonly standing: Standing;
  /** The wish of the last tick; null: there was none. */
  readonly wished: Wished | null;
  readonly penalty: Penalty | undefined;
  readonly clock: ReturnClock;
}

/** Facts of the uplink, for a member of it. */
export function uplinkFacts({
  uplinkVerdict,
  gateway,
  family,
}: UplinkHealth): Pick<Member, 'verdict' | 'gateway' | 'family'> {
  return { verdict: uplinkVerdict, gateway, family };
}

/** Whether the carrier gets the prefixes from us now, drained or not. */
export function isCarried(member: Member): boolean {
  return stateInForce(member) !== 'withdraw' && member.session !== 'down';
}

/** What the carrier has of it while this tick is decided; an override and a ceiling act at once. */
export function stateInForce({ override, ceiling, wished, standing }: Member): AnnounceState {
  if (override !== null) return override.state;
  return lesser(wished?.state ?? standing.state, ceiling?.state ?? 'announce');
}

/** Measured well, and not about to be found bad. `unknown` is not good: nobody may lean on it. */
export function isGood(member: Member): boolean {
  const { health, inBadSeconds } = member.verdict;
  return (health === 'healthy' || health === 'degraded') && !inBadSeconds;
}

export function isFailed(member: Member): boolean {
  return member.verdict.health === 'failed';
}

/** Dead by something nearer than its targets, which tells it apart from uplinks that share only the targets. */
export function isSurelyDead(member: Member): boolean {
  return (
    member.verdict.reason === 'link-down' || member.gateway?.health === 'failed' || member.session === 'down'
  );
}

/** Whether the carrier lost the route without our doing: such a change costs no budget. */
export function isCutOff(member: Member): boolean {
  return member.verdict.reason === 'link-down' || member.session === 'down';
}

/** From the worst to the least bad; of equal ones the one that stands later in the config is worse. */
export function worstFirst(members: readonly Member[]): readonly Member[] {
  return members.toReversed().toSorted((one, other) => badness(other) - badness(one));
}

function badness(member: Member): number {
  const rank = { healthy: 0, degraded: 10, unknown: 20, failed: 30 }[member.verdict.health];
  const dead = isSurelyDead(member) ? 5 : 0;
  const loss = member.verdict.evidence.loss ?? 0;
  const slowness = Math.min(0.9, (member.verdict.evidence.rttP50Millis ?? 0) / 10_000);
  return rank + dead + loss + slowness;
}
