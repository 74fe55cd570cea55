/** What an override is about, in the reader's words. */
import type { StatusDocument } from '../../../types/wire/status.ts';
import type { Words } from './words.ts';

type Subject = StatusDocument['overrides'][number]['subject'];

export function subjectWords(subject: Subject, words: Words): string {
  switch (subject.kind) {
    case 'announcement':
      return `${subject.service} ${subject.uplink} ${words.family(subject.family)}`;
    case 'egress':
      return `${words.egress} ${subject.uplink} ${words.family(subject.family)}`;
    case 'session':
      return `${words.session} ${subject.uplink} ${words.family(subject.family)}`;
    case 'selection': {
      const { uplink, service, family } = subject;
      const place = uplink ?? words.wholeNode;
      const parts = [service, place, family === null ? null : words.family(family)];
      return parts.filter((part) => part !== null).join(' ');
    }
    default:
      return JSON.stringify(subject satisfies never);
  }
}
