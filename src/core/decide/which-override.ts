/**
 * Which of several overrides speaks for an announcement: the most specific one, and of equally specific ones the newest.
 * One announcement is most specific, then selections by how much they name; the whole node is least.
 */
import type { Override, OverrideSubject } from '../../types/override.ts';
import type { Family } from '../../types/units.ts';

/** null: none is about it. Whatever the order of the list. */
export function overrideFor(
  overrides: readonly Override[],
  service: string,
  uplink: string,
  family: Family,
): Override | null {
  return overrides
    .filter(({ subject }) => isAbout(subject, service, uplink, family))
    .reduce<Override | null>((found, one) => (found === null || goesBefore(one, found) ? one : found), null);
}

/** Whether an override's subject covers an announcement. */
export function isAbout(subject: OverrideSubject, service: string, uplink: string, family: Family): boolean {
  switch (subject.kind) {
    case 'announcement':
    case 'selection':
      return (
        (subject.service ?? service) === service &&
        (subject.uplink ?? uplink) === uplink &&
        (subject.family ?? family) === family
      );
    case 'egress':
    case 'session':
      return false;
  }
}

function goesBefore(one: Override, other: Override): boolean {
  const by = specificity(one.subject) - specificity(other.subject);
  if (by !== 0) return by > 0;
  if (one.at !== other.at) return one.at > other.at;
  return rankInWords(one) > rankInWords(other);
}

function specificity(subject: OverrideSubject): number {
  if (subject.kind !== 'selection') return 3;
  return [subject.service, subject.uplink, subject.family].filter((one) => one !== null).length;
}

/** Of the same moment: any order will do, as long as it is not the list's. The one that takes away goes before. */
function rankInWords({ state, author, reason }: Override): string {
  return `${state === 'withdraw' ? 2 : state === 'drain' ? 1 : 0} ${author} ${reason}`;
}
