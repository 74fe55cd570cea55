/**
 * The connection to Redis as decisions see it. After any change of the master (another process, another replication
 * history, or data that was wiped) nobody is given consent until every token of the master before has ended and every
 * node has either spoken to the new one or become unknown.
 *
 *   silent ──a cycle succeeds──▶ settling ──`expire`──▶ reading ──(expire + life) on one master──▶ consent may be asked
 *     ▲                                                    │
 *     └───────────────────── a cycle fails ────────────────┘
 */
import { elapsed, type Instant } from '../../types/units.ts';
import type { FleetMemory, FleetRules, LinkMemory } from './memory.ts';

/** Clocks of two nodes may run this much apart. */
const clockTolerance = 1.02;

export type LinkState =
  | { readonly kind: 'silent'; readonly why: string }
  /** It answers, but not for long enough: who has not spoken yet may still do so. */
  | { readonly kind: 'settling'; readonly leftMillis: number }
  | {
      readonly kind: 'reading';
      readonly master: string;
      /** Until consent may be asked; 0: it may. */
      readonly waitMillis: number;
    };

/** After a cycle that published and read. */
export function linkGood(link: LinkMemory, master: string, now: Instant): LinkMemory {
  const isSame = link.master === master;
  const isGap = link.trouble !== null || link.goodSince === null || !isSame;
  return {
    ...link,
    master,
    masterSince: isSame ? link.masterSince : now,
    goodSince: isGap ? now : link.goodSince,
    lastGood: now,
    trouble: null,
  };
}

/** After a cycle that failed. The master is remembered: it may be the same one when it is back. */
export function linkFailed(link: LinkMemory, why: string): LinkMemory {
  return { ...link, goodSince: null, trouble: why };
}

export function linkState(link: LinkMemory, rules: FleetRules, now: Instant): LinkState {
  const { master, masterSince, goodSince, lastGood, trouble } = link;
  if (trouble !== null || master === null || masterSince === null || goodSince === null || lastGood === null)
    return { kind: 'silent', why: trouble ?? 'not reached yet' };
  const quietMillis = elapsed(lastGood, now);
  if (quietMillis >= rules.expireMillis)
    return { kind: 'silent', why: `no answer for ${Math.round(quietMillis / 1000)} s` };
  const settleMillis = rules.expireMillis - elapsed(goodSince, now);
  if (settleMillis > 0) return { kind: 'settling', leftMillis: settleMillis };
  return { kind: 'reading', master, waitMillis: quarantineLeft(masterSince, rules, now) };
}

/** How long nobody is given consent after a change of the master: presence TTL and a token's life. */
export function quarantineMillis({
  expireMillis,
  lifeMillis,
}: Pick<FleetRules, 'expireMillis' | 'lifeMillis'>): number {
  return (expireMillis + lifeMillis) * clockTolerance;
}

function quarantineLeft(masterSince: Instant, rules: FleetRules, now: Instant): number {
  return Math.max(0, quarantineMillis(rules) - elapsed(masterSince, now));
}

/** Whether a token of this node may still be acted on. A little is left for the act itself. */
export function tokenHolds(memory: FleetMemory, group: string, rules: FleetRules, now: Instant): boolean {
  const token = memory.tokens.get(group);
  if (token === undefined || !token.granted || token.master !== memory.link.master) return false;
  const marginMillis = Math.min(1000, rules.lifeMillis / 4);
  return elapsed(token.at, now) < rules.lifeMillis - marginMillis;
}
