/**
 * No prefix without an announcer: at no moment does no carrier hold it while some uplink could carry it, and beyond the
 * bound it is not held on dead uplinks alone. Pure.
 */
import { families, type Family } from '../../../src/types/units.ts';
import type { Breach } from '../breach.ts';
import type { Place } from '../facts.ts';
import { both, minus, type Span, union, widened } from '../intervals.ts';
import { type Story, when, without } from '../story.ts';
import { cannotAct, hindered, trulyDead } from '../truth.ts';

export function judgeAnnouncer(story: Story): readonly Breach[] {
  return families.flatMap((family) => [...emptyTimes(story, family), ...deadTimes(story, family)]);
}

function emptyTimes(story: Story, family: Family): readonly Breach[] {
  const places = story.places.filter((place) => place.family === family);
  const held = union(...places.map((place) => story.held(place)));
  const usable = union(...places.map((place) => usableTimes(story, place)));
  return both(without(story, held), usable).map((span) => ({
    invariant: 'announcer',
    at: span.from,
    subject: `IPv${family}`,
    text: `no carrier held the prefix for ${span.to - span.from} ms, while an uplink could have carried it`,
  }));
}

/** Held, but by dead uplinks alone, for longer than it takes to notice and to announce another. */
function deadTimes(story: Story, family: Family): readonly Breach[] {
  const { announcerMillis } = story.bounds;
  const places = story.places.filter((place) => place.family === family);
  const alive = union(...places.map((place) => minus(story.held(place), trulyDead(story, place))));
  const able = union(
    ...places.map((place) => minus(usableTimes(story, place), cannotAct(story, place.node))),
  );
  return both(without(story, alive), able)
    .filter(({ from, to }) => to - from > announcerMillis + stalled(story, { from, to }))
    .map((span) => ({
      invariant: 'announcer',
      at: span.from + announcerMillis,
      subject: `IPv${family}`,
      text: `only dead uplinks held the prefix for ${span.to - span.from} ms, while a live one could have carried it`,
    }));
}

/** Nothing of the lab bars the place, the service is ready, BIRD runs. */
function usableTimes(story: Story, place: Place): readonly Span[] {
  const { returnMillis } = story.bounds;
  const notReady = when(story, 'maybe', (fault) => fault.kind === 'service' && fault.node === place.node);
  return without(story, union(hindered(story, place), widened(notReady, 0, returnMillis)));
}

function stalled(story: Story, { from, to }: Span): number {
  return both(story.stalls(), [{ from, to }]).reduce((sum, span) => sum + span.to - span.from, 0);
}
