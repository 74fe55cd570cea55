/**
 * Staged roll-out of a new base (notes of what broke others: one bad template, loaded by a whole fleet within a minute).
 * One node applies, soaks, and only then the next one may; a node that lost an announcement after its own apply stops the
 * others for as long as it lacks it. Pure; Redis carries the words, and the docs say what that promises (docs/fleet.md).
 *
 *   steady ─▶ asking ─nobody else─▶ applying ─applied─▶ soaking ─the soak is over─▶ steady
 *                                                      │  ▲                         ▲
 *                                an announcement is lost  │ it is back              │ it is back, the soak is over
 *                                                      ▼  │                         │
 *                                                    regressed ─────────────────────┘
 */
import { announcementKey } from '../../types/keys.ts';
import { elapsed, type Instant } from '../../types/units.ts';
import type { BaseWord, Presence } from '../../types/wire/node-to-fleet.ts';
import type { AnnouncementWord } from './announcers.ts';

/** An apply that went through, until it has proved itself. */
export interface Rollout {
  readonly at: Instant;
  /** announcementKeys of what was announced before it and stood in its way of being called good. */
  readonly before: readonly string[];
}

/** What stands announced as it should: an apply must not cost any of it. */
export function soundAnnouncements(announcements: readonly AnnouncementWord[]): readonly string[] {
  return announcements.filter((one) => one.seen === 'exported' && !isLost(one)).map((one) => keyOf(one));
}

/** What this node says of its base, and what is left to be watched. `busy`: an apply is about to begin, or under way. */
export function baseWord(
  rollout: Rollout | null,
  busy: 'asking' | 'applying' | null,
  announcements: readonly AnnouncementWord[],
  soakMillis: number,
  now: Instant,
): { readonly word: BaseWord; readonly rollout: Rollout | null } {
  if (busy !== null) return { word: { state: busy, lost: [] }, rollout };
  if (rollout === null) return { word: steady, rollout };
  const lost = announcements.filter((one) => isLost(one) && rollout.before.includes(keyOf(one)));
  if (lost.length > 0) return { word: { state: 'regressed', lost: lost.map(keyOf) }, rollout };
  if (elapsed(rollout.at, now) < soakMillis) return { word: { state: 'soaking', lost: [] }, rollout };
  return { word: steady, rollout: null };
}

const steady: BaseWord = { state: 'steady', lost: [] };

/** Gone by a verdict or against the wish; what people or windows took away is no fault of the base. */
function isLost({ health, wish, seen }: AnnouncementWord): boolean {
  return health === 'failed' || (wish !== 'withdraw' && seen !== 'exported');
}

function keyOf({ uplink, service, family }: AnnouncementWord): string {
  return announcementKey(uplink, service, family);
}

/**
 * Why this node must not apply now, in a sentence; null: it may. `others`: all other nodes that are heard, or null where
 * the fleet cannot be read. Of several that ask at once the first by name goes on: each asks for longer than a word takes to all
 * others and back, so whoever does not see the other asking is seen applying by it.
 */
export function rolloutRefusal(self: string, others: readonly Presence[] | null): string | null {
  if (others === null)
    return 'the fleet cannot be read now, so nobody knows whether another node is in the middle of the same change';
  for (const { node, base } of others) {
    if (base?.state === 'regressed')
      return `${node} has lost ${base.lost.join(', ')} since it applied: mend it there first`;
  }
  for (const { node, base } of others) {
    if (base?.state === 'soaking') return `${node} has just applied, and is watched for \`fleet.soak\``;
    if (base?.state === 'applying' || (base?.state === 'asking' && node < self)) return `${node} is applying`;
  }
  return null;
}
