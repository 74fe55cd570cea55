/**
 * A member is one service on one uplink in one family; the members of a service and family form a group, and the
 * guards look at groups. What is known of a member now stands here, so that the ladder reads plainly.
 */
import type { Uplink } from '../../types/config.ts';
import type { UplinkHealth, Verdict } from '../../types/health.ts';
import type { Override } from '../../types/override.ts';
import type { Family } from '../../types/units.ts';
import type { AnnounceState } from '../../types/wire/enums.ts';
import type { Standing } from './memory.ts';

/** Of a BGP session: `down` only when it has surely been down for a while. */
export type SessionFact = 'up' | 'down' | 'unknown';

export interface Member {
  readonly service: string;
  readonly uplink: Uplink;
  readonly family: Family;
  readonly verdict: Verdict;
  readonly gateway: Verdict | null;
  readonly session: SessionFact;
  readonly override: Override | null;
  /** What the node was to do until now. */
  readonly standing: Standing;
}

export function memberOf(
  service: string,
  uplink: Uplink,
  health: UplinkHealth,
  session: SessionFact,
  override: Override | null,
  standing: Standing,
): Member {
  const { uplinkVerdict: verdict, gateway, family } = health;
  return { service, uplink, family, verdict, gateway, session, override, standing };
}

/** Whether the carrier gets the prefixes from us now, drained or not. */
export function isCarried(member: Member): boolean {
  return stateInForce(member) !== 'withdraw' && member.session !== 'down';
}

function stateInForce(member: Member): AnnounceState {
  return member.override === null ? member.standing.state : member.override.state;
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

/** Orders members from the worst to the least bad; equal ones by the config's order, the later one being worse. */
export function worstFirst(a: Member, b: Member): number {
  return badness(b) - badness(a);
}

function badness(member: Member): number {
  const rank = { healthy: 0, degraded: 10, unknown: 20, failed: 30 }[member.verdict.health];
  const dead = isSurelyDead(member) ? 5 : 0;
  const loss = member.verdict.evidence.loss ?? 0;
  const slowness = Math.min(0.9, (member.verdict.evidence.rttP50Millis ?? 0) / 10_000);
  return rank + dead + loss + slowness;
}
