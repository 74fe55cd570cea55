/**
 * Which groups need the fleet now: those that would be taken away further with its consent than without it, and those
 * that are out with it. Asked of decide itself, so that nothing is asked that a guard would hold anyway.
 */
import type { FleetWord } from '../../types/fleet-word.ts';
import type { AnnouncementWish, Wish } from '../../types/wish.ts';
import { decide, type DecideInput } from '../decide/decide.ts';
import type { DecideMemory } from '../decide/memory.ts';
import type { Want } from './ask.ts';
import { type GroupName, groupsOf, keyOfGroup } from './groups.ts';

/** `asked` and `memory`: of the last tick; `held`: groupKeys of tokens that this node has or may have. */
export function wantsOf(
  asked: DecideInput,
  memory: DecideMemory,
  wish: Wish,
  held: ReadonlySet<string>,
): readonly Want[] {
  return groupsOf(asked.services).flatMap((group): readonly Want[] => {
    const key = keyOfGroup(group);
    if (memory.consented.includes(key)) return [{ kind: 'out', group }];
    const waiting = wish.announcements.filter(
      (one) => isOf(one, group) && (one.held?.guard === 'last-resort' || one.held?.guard === 'no-consent'),
    );
    if (waiting.length === 0 && !held.has(key)) return [];
    if (!wouldLeave(asked, memory, group)) return [];
    const isReady = asked.readiness.get(group.service)?.state !== 'not-ready';
    return [{ kind: 'leave', group, cause: isReady ? 'link' : 'not-ready' }];
  });
}

function wouldLeave(asked: DecideInput, memory: DecideMemory, group: GroupName): boolean {
  const statesWith = (consent: FleetWord['consent']): string => {
    const key = keyOfGroup(group);
    const word: FleetWord = { ...asked.fleet?.get(key), consent, announcingNodes: null, text: '' };
    const fleet = new Map(asked.fleet).set(key, word);
    const { wish } = decide({ ...asked, fleet }, memory);
    return wish.announcements
      .filter((one) => isOf(one, group))
      .map(({ state }) => state)
      .join(' ');
  };
  return statesWith('given') !== statesWith('refused');
}

function isOf(one: AnnouncementWish, { service, family }: GroupName): boolean {
  return one.service === service && one.family === family;
}
