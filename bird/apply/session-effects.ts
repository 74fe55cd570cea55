/**
 * What a new text does to the BGP sessions, by what BIRD 2 and 3 do at `configure`: most options of a session close it
 * (Cease 6/6); filters on the way in ask the carrier to send its routes again, and close the session where the carrier
 * lacks route refresh (RFC 2918); filters on the way out, limits and descriptions do neither. What is not known here
 * counts as a reset. Pure.
 */
import type { SessionEffect } from '../../src/types/wire/apply.ts';
import type { BirdText, Options, SessionText } from './bird-text.ts';

/** What BIRD shows of a session now. */
export interface SessionFact {
  readonly established: boolean;
  /** Whether the carrier said that it has route refresh; null: the session is down. */
  readonly routeRefresh: boolean | null;
}

/** One effect for each session that changes, in the order of the texts; sessions that stay as they are are left out. */
export function sessionEffects(
  before: BirdText,
  after: BirdText,
  facts: ReadonlyMap<string, SessionFact>,
): readonly SessionEffect[] {
  const effects: SessionEffect[] = [];
  for (const [name, old] of before.sessions) {
    const session = after.sessions.get(name);
    if (session === undefined)
      effects.push({ session: name, kind: 'removed', reasons: ['the config has it no longer'] });
    else {
      const effect = effectOn(old, session, before, after, facts.get(name));
      if (effect !== null) effects.push(effect);
    }
  }
  for (const name of after.sessions.keys())
    if (!before.sessions.has(name)) effects.push({ session: name, kind: 'added', reasons: [] });
  return effects;
}

type Weight = 'reset' | 'refresh' | 'none';

interface Reason {
  readonly weight: Weight;
  readonly text: string;
}

function effectOn(
  old: SessionText,
  session: SessionText,
  before: BirdText,
  after: BirdText,
  fact: SessionFact | undefined,
): SessionEffect | null {
  const reasons = [
    ...routerIdReason(before, after),
    ...optionReasons([old.options, before], [session.options, after], sessionWeights),
    ...optionReasons(
      [withoutFilters(old.channel), before],
      [withoutFilters(session.channel), after],
      channelWeights,
    ),
    ...filterReasons('import', old.channel, session.channel, before, after),
    ...filterReasons('export', old.channel, session.channel, before, after),
  ];
  if (old.family !== session.family) reasons.push({ weight: 'reset', text: 'another family' });
  if (reasons.length === 0) return null;
  const texts = reasons.map(({ text }) => text);
  const name = session.name;
  if (reasons.some(({ weight }) => weight === 'reset'))
    return { session: name, kind: 'reset', reasons: texts };
  if (!reasons.some(({ weight }) => weight === 'refresh'))
    return { session: name, kind: 'none', reasons: texts };
  if (fact?.established === true && fact.routeRefresh === false)
    return { session: name, kind: 'reset', reasons: [...texts, 'the carrier has no route refresh'] };
  return { session: name, kind: 'refresh', reasons: texts };
}

/** What does not reset; each other option does. */
const sessionWeights: Readonly<Record<string, Weight>> = {
  description: 'none',
  disabled: 'none',
  bfd: 'none',
  debug: 'none',
  'check link': 'none',
};

const channelWeights: Readonly<Record<string, Weight>> = {
  'import limit': 'none',
  'receive limit': 'none',
  'export limit': 'none',
  'next hop self': 'none',
  'next hop keep': 'none',
  'next hop address': 'none',
  preference: 'refresh',
  gateway: 'refresh',
};

const secret = new Set(['password', 'keys']);

function optionReasons(
  [old, before]: readonly [Options, BirdText],
  [options, after]: readonly [Options, BirdText],
  weights: Readonly<Record<string, Weight>>,
): readonly Reason[] {
  const keys = new Set([...old.keys(), ...options.keys()]);
  // The states follow the wish and are no part of the base.
  for (const key of ['disabled', 'description']) keys.delete(key);
  return [...keys].flatMap((key) => {
    const [was, is] = [old.get(key), options.get(key)];
    const weight = weights[key] ?? 'reset';
    if (was !== is) return [{ weight, text: wording(key, was, is) }];
    // `local as CAUSEWAY_AS`: the word stays while the constant changes.
    if (is === undefined || meaning(is, before) === meaning(is, after)) return [];
    return [{ weight, text: `${key}: ${is} is another one` }];
  });
}

function wording(key: string, was: string | undefined, is: string | undefined): string {
  if (secret.has(key))
    return `${key} ${was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}`;
  if (was === undefined) return `${key} ${is}, new`;
  return is === undefined ? `${key} ${was} left out` : `${key} ${was} → ${is}`;
}

function routerIdReason(before: BirdText, after: BirdText): readonly Reason[] {
  const [was, is] = [before.routerId, after.routerId];
  if (was === null || is === null || was === is) return [];
  return [{ weight: 'reset', text: `router id ${was} → ${is}` }];
}

function withoutFilters(channel: Options): Options {
  return new Map([...channel].filter(([key]) => key !== 'import' && key !== 'export'));
}

/** A filter is another one when any function or constant that it uses is. */
function filterReasons(
  way: 'import' | 'export',
  old: Options,
  channel: Options,
  before: BirdText,
  after: BirdText,
): readonly Reason[] {
  const [was, is] = [old.get(way) ?? '', channel.get(way) ?? ''];
  if (was === is && meaning(was, before) === meaning(is, after)) return [];
  const what =
    was === is ? `what ${way} ${shorten(is)} does changes` : `${way} ${shorten(was)} → ${shorten(is)}`;
  return [{ weight: way === 'import' ? 'refresh' : 'none', text: what }];
}

function shorten(filter: string): string {
  return filter.replace(/^filter \{ (.*?);? \}$/, '$1') || 'all';
}

/** The text with all definitions that it uses, and those that these use. */
function meaning(text: string, { definitions }: BirdText): string {
  const used = new Map<string, string>();
  const collect = (from: string): void => {
    for (const [name] of from.replace(/"[^"]*"/g, '').matchAll(/[A-Za-z_]\w*/g)) {
      const definition = definitions.get(name);
      if (definition === undefined || used.has(name)) continue;
      used.set(name, definition);
      collect(definition);
    }
  };
  collect(text);
  return [text, ...[...used.keys()].toSorted().map((name) => used.get(name) ?? '')].join('\n');
}
