/** Which of our protocols a hand can be on, and what each is about. */
import type { NodeConfig } from '../../types/config.ts';
import type { OverrideSubject } from '../../types/override.ts';
import { announceName, drainName, learnName, sessionName } from '../../types/protocol-names.ts';
import { families } from '../../types/units.ts';

export interface ProtocolSubject {
  readonly role: 'announce' | 'drain' | 'learn' | 'session';
  readonly subject: OverrideSubject;
}

/** Every protocol that a wish or a hand can switch, by its name. */
export function subjectsOf(config: NodeConfig): ReadonlyMap<string, ProtocolSubject> {
  const subjects = new Map<string, ProtocolSubject>();
  for (const { name: uplink, source } of config.uplinks) {
    for (const family of families.filter((one) => source[one] !== undefined)) {
      subjects.set(learnName(uplink, family), { role: 'learn', subject: { kind: 'egress', uplink, family } });
      subjects.set(sessionName(uplink, family), {
        role: 'session',
        subject: { kind: 'session', uplink, family },
      });
      for (const { name: service, prefixes } of config.services) {
        if (!prefixes.some((prefix) => prefix.family === family)) continue;
        const subject: OverrideSubject = { kind: 'announcement', service, uplink, family };
        subjects.set(announceName(uplink, service, family), { role: 'announce', subject });
        subjects.set(drainName(uplink, service, family), { role: 'drain', subject });
      }
    }
  }
  return subjects;
}

/** One text for each subject, for comparing. */
export function subjectKey(subject: OverrideSubject): string {
  switch (subject.kind) {
    case 'announcement':
      return `${subject.uplink}_${subject.service}${subject.family}`;
    case 'egress':
      return `learn_${subject.uplink}${subject.family}`;
    case 'session':
      return `bgp_${subject.uplink}${subject.family}`;
    case 'selection':
      return `selection ${subject.uplink ?? '*'} ${subject.service ?? '*'} ${subject.family ?? '*'}`;
  }
}
