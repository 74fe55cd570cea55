/**
 * The word that GeoDNS and other APIs hear of one announcement (DESIGN §7.12). In this order:
 *
 *   the session is surely down                             down
 *   people or a service say so (override, maintenance,     up, drain or down, as they say; a planned drain that still
 *   readiness, boot, stop)                                 waits for GeoDNS is drain already
 *   BIRD is unreachable                                    the last word again
 *   a guard holds it                                       drain where it is drained, else the last word again
 *   unknown, first window                                  the last word again
 *   decided                                                down, drain; up once BIRD shows it exported
 */
import type { SeenState, ToldState, WishReason } from '../../types/wire/enums.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import type { SessionFact } from '../decide/member.ts';

/** What is known of an announcement. */
export interface Known {
  readonly wish: AnnouncementWish;
  readonly session: SessionFact;
  readonly seen: SeenState;
  /** Whether BIRD answered. */
  readonly birdSeen: boolean;
  /** null: nothing was told yet. */
  readonly last: ToldState | null;
}

/** null: nothing can be said yet. */
export function wordFor({ wish, session, seen, birdSeen, last }: Known): ToldState | null {
  if (session === 'down') return 'down';
  if (isOfPeople(wish.reason)) return words[wish.state];
  if (wish.held?.guard === 'dns-first') return 'drain';
  if (!birdSeen) return last;
  if (wish.held !== null) return wish.state === 'drain' ? 'drain' : last;
  if (wish.reason === 'unknown-keep' || wish.reason === 'as-found') return last;
  if (wish.state === 'announce') return seen === 'exported' ? 'up' : last;
  return words[wish.state];
}

const words = { announce: 'up', drain: 'drain', withdraw: 'down' } as const;

/** What an operator, a hand, a window, a service or a stop of the daemon says is never hidden. */
function isOfPeople(reason: WishReason): boolean {
  return ['override', 'maintenance', 'not-ready', 'booting', 'stopping'].includes(reason);
}

const badness: Readonly<Record<ToldState, number>> = { up: 0, drain: 1, down: 2 };

/** Negative where `a` is better. */
export function compareWords(a: ToldState, b: ToldState): number {
  return badness[a] - badness[b];
}
