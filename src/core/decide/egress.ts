/**
 * Egress follows the wish (DESIGN §7.11): an uplink on which everything is drained or withdrawn, by whomever, has its
 * learnt routes avoided, so that answers leave where the road is good. Its own table and its probes keep their way.
 * The last pipe of a family that carries a usable default stays in use.
 */
import { uplinkKey } from '../../types/keys.ts';
import type { Override } from '../../types/override.ts';
import type { Family } from '../../types/units.ts';
import type { AnnouncementWish, EgressWish } from '../../types/wish.ts';

/** An uplink in a family that has a session. */
export interface Road {
  readonly uplink: string;
  readonly family: Family;
}

/** `usable` has the uplinkKeys over which a default is or may be learnt. Roads are in the config's order. */
export function decideEgress(
  roads: readonly Road[],
  announcements: readonly AnnouncementWish[],
  overrides: readonly Override[],
  usable: ReadonlySet<string>,
): readonly EgressWish[] {
  const candidates = roads.map((road): Candidate => {
    const hand = overrides.find(({ subject }) => subject.kind === 'egress' && isSame(subject, road));
    const own = announcements.filter((one) => isSame(one, road));
    return {
      road,
      hand: hand ?? null,
      own,
      wish: hand === undefined ? wishOf(road, own) : byHand(road, hand),
    };
  });
  return candidates.map((one) =>
    one === lastWayOut(candidates, one.road.family, usable) ? kept(one.wish) : one.wish,
  );
}

interface Candidate {
  readonly road: Road;
  /** A hand on `learn_` itself. */
  readonly hand: Override | null;
  readonly own: readonly AnnouncementWish[];
  readonly wish: EgressWish;
}

function isSame(a: Road, b: Road): boolean {
  return a.uplink === b.uplink && a.family === b.family;
}

function byHand({ uplink, family }: Road, { author, reason }: Override): EgressWish {
  return { uplink, family, state: 'avoid', reason: 'override', text: reason, author };
}

function wishOf({ uplink, family }: Road, own: readonly AnnouncementWish[]): EgressWish {
  const first = own[0];
  if (first === undefined || own.some((one) => one.state === 'announce')) {
    return { uplink, family, state: 'use', reason: 'healthy', text: 'in use', author: 'causeway' };
  }
  const what = own.every((one) => one.state === 'withdraw') ? 'withdrawn' : 'drained';
  const text = `all is ${what} here: ${first.text}`;
  return { uplink, family, state: 'avoid', reason: first.reason, text, author: 'causeway' };
}

/** With nothing usable in use: of those that no hand took away the least bad, drained before withdrawn, then the first. */
function lastWayOut(
  candidates: readonly Candidate[],
  family: Family,
  usable: ReadonlySet<string>,
): Candidate | undefined {
  const ways = candidates.filter(
    ({ road }) => road.family === family && usable.has(uplinkKey(road.uplink, family)),
  );
  if (ways.some(({ wish }) => wish.state === 'use')) return undefined;
  const free = ways.filter(({ hand }) => hand === null);
  return free.find(({ own }) => own.some(({ state }) => state === 'drain')) ?? free[0];
}

function kept(wish: EgressWish): EgressWish {
  return { ...wish, state: 'use', reason: 'last-resort', text: `the last way out; ${wish.text}` };
}
