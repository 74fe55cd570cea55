/** What an operator's words select: an uplink, a service, a family, or all of the node. */
import type { Override, OverrideSubject } from '../../types/override.ts';
import type { Family } from '../../types/units.ts';

/** null stands for all of them; three times null is the whole node. */
export interface Selection {
  readonly uplink: string | null;
  readonly service: string | null;
  readonly family: Family | null;
}

/** Whether all that the subject is about lies within the selection. */
export function isWithin(subject: OverrideSubject, selection: Selection): boolean {
  const { uplink, service, family } = breadthOf(subject);
  return (
    (selection.uplink === null || selection.uplink === uplink) &&
    (selection.service === null || selection.service === service) &&
    (selection.family === null || selection.family === family)
  );
}

/** Whether the subject is about all that is selected, and more. */
export function isAround(subject: OverrideSubject, selection: Selection): boolean {
  if (subject.kind === 'egress' || subject.kind === 'session') return false;
  const { uplink, service, family } = breadthOf(subject);
  const covers =
    (uplink === null || uplink === selection.uplink) &&
    (service === null || service === selection.service) &&
    (family === null || family === selection.family);
  return covers && !isWithin(subject, selection);
}

/** `cmi`, `cmi service web IPv4`, `service web`, `the node`. */
export function selectionText({ uplink, service, family }: Selection): string {
  const parts = [
    uplink ?? '',
    service === null ? '' : `service ${service}`,
    family === null ? '' : `IPv${family}`,
  ].filter((part) => part !== '');
  if (uplink === null && service === null) return ['the node', ...parts].join(' ');
  return parts.join(' ');
}

/** What an override is about, in the words of `selectionText`. */
export function subjectText(subject: OverrideSubject): string {
  switch (subject.kind) {
    case 'announcement':
    case 'selection':
      return selectionText(subject);
    case 'egress':
      return `egress of ${subject.uplink} IPv${subject.family}`;
    case 'session':
      return `the session of ${subject.uplink} IPv${subject.family}`;
  }
}

/** The list with this override in place of an earlier one about the same. */
export function withOverride(
  overrides: readonly Override[],
  override: Override,
  keyOf: (subject: OverrideSubject) => string,
): readonly Override[] {
  const key = keyOf(override.subject);
  return [...overrides.filter((one) => keyOf(one.subject) !== key), override];
}

function breadthOf(subject: OverrideSubject): Selection {
  switch (subject.kind) {
    case 'announcement':
    case 'selection':
      return subject;
    case 'egress':
    case 'session':
      return { uplink: subject.uplink, service: null, family: subject.family };
  }
}
