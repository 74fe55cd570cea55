/**
 * What a new base does, from the text that was confirmed last: to the sessions by the texts, to the announcements by
 * what BIRD itself makes of both (the rehearsal). Pure.
 */
import type { BaseDiff, Consent, PrefixEffect } from '../../src/types/wire/apply.ts';
import { type BirdText, readText } from './bird-text.ts';
import { sameBase } from '../file-states.ts';
import { attributeChanges, type Exported } from './exports.ts';
import { sessionEffects, type SessionFact } from './session-effects.ts';

/** What is exported on each session, by its name. */
export type ExportsBySession = ReadonlyMap<string, Exported>;

/** Compares two bases in one and the same wish. */
export function diffBases(
  before: { readonly text: string; readonly exports: ExportsBySession },
  after: { readonly text: string; readonly exports: ExportsBySession },
  facts: ReadonlyMap<string, SessionFact>,
): BaseDiff {
  const [old, next] = [readText(before.text), readText(after.text)];
  return {
    same: sameBase(before.text, after.text),
    sessions: sessionEffects(old, next, facts),
    prefixes: prefixEffects(before.exports, after.exports),
    others: otherChanges(old, next),
  };
}

/** reset: a session is closed, for a while or for good; withdraw: something is announced on fewer sessions. */
export function consentNeeded({ sessions, prefixes }: BaseDiff): Consent {
  return {
    reset: sessions.some(({ kind }) => kind === 'reset' || kind === 'removed'),
    withdraw: prefixes.some(({ kind }) => kind === 'stops'),
  };
}

function prefixEffects(before: ExportsBySession, after: ExportsBySession): readonly PrefixEffect[] {
  const effects: PrefixEffect[] = [];
  for (const session of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(session) ?? nothing, after.get(session) ?? nothing];
    for (const [prefix, was] of old) {
      const is = next.get(prefix);
      if (is === undefined) effects.push({ session, prefix, kind: 'stops', changes: [] });
      else {
        const changes = attributeChanges(was, is);
        if (changes.length > 0) effects.push({ session, prefix, kind: 'changes', changes });
      }
    }
    for (const prefix of next.keys())
      if (!old.has(prefix)) effects.push({ session, prefix, kind: 'starts', changes: [] });
  }
  return effects;
}

const nothing: Exported = new Map();

/** Protocols beside sessions and announcements: those have effects of their own above. */
function otherChanges(before: BirdText, after: BirdText): readonly string[] {
  const isOwn = (name: string): boolean => /^(announce|drain)_/.test(name);
  const changes: string[] = [];
  for (const [name, was] of before.protocols) {
    const is = after.protocols.get(name);
    if (isOwn(name)) continue;
    if (is === undefined) changes.push(`protocol ${name} goes`);
    else if (stateless(was) !== stateless(is)) changes.push(`protocol ${name} changes`);
  }
  for (const name of after.protocols.keys())
    if (!isOwn(name) && !before.protocols.has(name)) changes.push(`protocol ${name} comes`);
  return changes;
}

function stateless(text: string): string {
  return text.replace(/ disabled (yes|no); description "[^"]*";/, '');
}
