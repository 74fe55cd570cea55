/** What a command would change: the wish with it beside the wish without it, from the inputs of the last tick. Pure. */
import { decide, type DecideInput } from '../core/decide/decide.ts';
import type { DecideMemory } from '../core/decide/memory.ts';
import { announcementKey, uplinkKey } from '../types/keys.ts';
import type { AnnounceState } from '../types/wire/enums.ts';
import type { WishChange } from '../types/wire/operator.ts';
import type { AnnouncementWish, Wish } from '../types/wish.ts';

/** The wish with other overrides, or another freeze. */
export function wishWith(
  input: DecideInput,
  memory: DecideMemory,
  change: Partial<Pick<DecideInput, 'overrides' | 'freeze'>>,
): Wish {
  return decide({ ...input, ...change }, memory).wish;
}

/** What differs from `before` to `after`, in the order of `after`. */
export function changesBetween(before: Wish, after: Wish): readonly WishChange[] {
  const states = new Map(before.announcements.map((one) => [keyOf(one), one.state]));
  const ways = new Map(before.egress.map((one) => [uplinkKey(one.uplink, one.family), one.state]));
  return [
    ...after.announcements.flatMap((one): readonly WishChange[] => {
      const from = states.get(keyOf(one)) ?? one.state;
      const { uplink, service, family, state, reason, text } = one;
      return from === state ? [] : [{ uplink, service, family, from, to: state, reason, text }];
    }),
    ...after.egress.flatMap((one): readonly WishChange[] => {
      const from = ways.get(uplinkKey(one.uplink, one.family)) ?? one.state;
      const { uplink, family, state, reason, text } = one;
      return from === state ? [] : [{ uplink, service: null, family, from, to: state, reason, text }];
    }),
  ];
}

const attractiveness: Readonly<Record<AnnounceState, number>> = { withdraw: 0, drain: 1, announce: 2 };

/** The services and families (`web IPv4`) whose last undrained, or last announcement at all, the change takes away. */
export function lastOnesTaken(before: Wish, after: Wish): readonly string[] {
  const best = (wish: Wish): Map<string, number> => {
    const found = new Map<string, number>();
    for (const { service, family, state } of wish.announcements) {
      const group = `${service} IPv${family}`;
      found.set(group, Math.max(found.get(group) ?? 0, attractiveness[state]));
    }
    return found;
  };
  const now = best(before);
  return [...best(after)].filter(([group, rank]) => rank < (now.get(group) ?? 0)).map(([group]) => group);
}

function keyOf({ uplink, service, family }: AnnouncementWish): string {
  return announcementKey(uplink, service, family);
}
