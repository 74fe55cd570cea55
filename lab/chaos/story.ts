/** The facts of a run, ordered for the judges: what stood when, and what each carrier held when. Pure. */
import { families } from '../../src/types/units.ts';
import { carrierNames } from '../network/names.ts';
import type { Bounds } from './bounds.ts';
import type { Fact, Place } from './facts.ts';
import type { ChaosFault } from './fault.ts';
import { minus, type Span, union } from './intervals.ts';

export type FactOf<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

export interface FaultSpan {
  readonly id: number;
  readonly fault: ChaosFault;
  /** It surely stands. */
  readonly sure: Span;
  /** It may stand, or its mending may be under way. */
  readonly maybe: Span;
}

export interface Story {
  readonly begin: FactOf<'begin'>;
  readonly bounds: Bounds;
  /** Up to here everything was watched. */
  readonly end: number;
  readonly places: readonly Place[];
  readonly faults: readonly FaultSpan[];
  of<K extends Fact['kind']>(kind: K): readonly FactOf<K>[];
  /** When the carrier held the service's prefix from there. */
  held(place: Place): readonly Span[];
  /** The same, drained or not: when it was held drained. */
  drained(place: Place): readonly Span[];
  /** When the session was Established. */
  sessionUp(place: Place): readonly Span[];
  stalls(): readonly Span[];
}

export function samePlace(one: Place, other: Place): boolean {
  return one.node === other.node && one.carrier === other.carrier && one.family === other.family;
}

/** Throws when the facts do not begin with `begin`. */
export function storyOf(unordered: readonly Fact[]): Story {
  const facts = unordered.toSorted((a, b) => a.at - b.at);
  const begin = facts.find((fact) => fact.kind === 'begin');
  if (begin === undefined) throw new Error('the log does not say how the run began');
  const end = facts.findLast((fact) => fact.kind !== 'record')?.at ?? begin.at;
  const of = <K extends Fact['kind']>(kind: K): readonly FactOf<K>[] =>
    facts.filter((fact): fact is FactOf<K> => fact.kind === kind);
  const places = begin.nodes.flatMap((node) =>
    carrierNames.flatMap((carrier) => families.map((family): Place => ({ node, carrier, family }))),
  );
  const world = new Map(places.map((place) => [keyOf(place), placeStory(facts, place, begin, end)]));
  const known = (place: Place): PlaceStory => world.get(keyOf(place)) ?? nothing;
  return {
    begin,
    bounds: begin.bounds,
    end,
    places,
    faults: faultSpans(of('fault'), end),
    of,
    held: (place) => known(place).held,
    drained: (place) => known(place).drained,
    sessionUp: (place) => known(place).sessionUp,
    stalls: () => union(of('stall').map(({ at, millis }) => ({ from: at - millis, to: at }))),
  };
}

function keyOf({ node, carrier, family }: Place): string {
  return `${node} ${carrier} ${family}`;
}

interface PlaceStory {
  readonly held: readonly Span[];
  readonly drained: readonly Span[];
  readonly sessionUp: readonly Span[];
}
const nothing: PlaceStory = { held: [], drained: [], sessionUp: [] };

function placeStory(facts: readonly Fact[], place: Place, begin: FactOf<'begin'>, end: number): PlaceStory {
  const held = switchOf(false);
  const drained = switchOf(false);
  // Runs begin with all sessions up.
  const session = switchOf(true, begin.at);
  for (const fact of facts) {
    if (fact.kind !== 'heard' && fact.kind !== 'session' && fact.kind !== 'table') continue;
    if (!samePlace(fact, place)) continue;
    if (fact.kind === 'session') {
      session.to(fact.up, fact.at);
      // BIRD flushes the routes of a session that went down without a word for each.
      if (!fact.up) held.to(false, fact.at);
      if (!fact.up) drained.to(false, fact.at);
    } else if (fact.kind === 'table') {
      held.to(
        fact.prefixes.some((prefix) => begin.prefixes.includes(prefix)),
        fact.at,
      );
    } else if (begin.prefixes.includes(fact.prefix)) {
      held.to(fact.what === 'announced', fact.at);
      drained.to(fact.what === 'announced' && fact.drained, fact.at);
    }
  }
  return { held: held.spans(end), drained: drained.spans(end), sessionUp: session.spans(end) };
}

function switchOf(first: boolean, at = 0) {
  const spans: Span[] = [];
  let since = first ? at : null;
  return {
    to(on: boolean, moment: number): void {
      if (on && since === null) since = moment;
      if (on || since === null) return;
      spans.push({ from: since, to: moment });
      since = null;
    },
    spans: (end: number): readonly Span[] =>
      union(since === null ? spans : [...spans, { from: since, to: end }]),
  };
}

function faultSpans(facts: readonly FactOf<'fault'>[], end: number): readonly FaultSpan[] {
  const ids = [...new Set(facts.map(({ id }) => id))];
  return ids.flatMap((id) => {
    const mine = facts.filter((fact) => fact.id === id);
    const [first] = mine;
    if (first === undefined) return [];
    const timeOf = (phase: FactOf<'fault'>['phase']): number | undefined =>
      mine.find((fact) => fact.phase === phase)?.at;
    const mended = timeOf('mended') ?? end;
    return [
      {
        id,
        fault: first.fault,
        sure: { from: timeOf('applied') ?? mended, to: timeOf('mending') ?? mended },
        maybe: { from: first.at, to: mended },
      },
    ];
  });
}

/** When faults of a kind surely stood, or may have stood. */
export function when(
  story: Story,
  which: 'sure' | 'maybe',
  isMeant: (fault: ChaosFault) => boolean,
): readonly Span[] {
  return union(story.faults.filter(({ fault }) => isMeant(fault)).map((one) => one[which]));
}

/** The run without these times. */
export function without(story: Story, spans: readonly Span[]): readonly Span[] {
  return minus([{ from: story.begin.at, to: story.end }], spans);
}
