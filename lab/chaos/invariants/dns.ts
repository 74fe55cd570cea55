/** DNS is never empty, and never beyond the bound names what no carrier holds any more while another could be named. Pure. */
import { placeOfAddress } from '../addresses.ts';
import type { Breach } from '../breach.ts';
import type { Place } from '../facts.ts';
import { covers, lengthWithin, minus, type Span, union, widened } from '../intervals.ts';
import { type FactOf, type Story, when, without } from '../story.ts';
import { cannotAct } from '../truth.ts';

export function judgeDns(story: Story): readonly Breach[] {
  const stale = story.places.map((place) => ({ place, spans: mustBeGone(story, place) }));
  return story.of('dns').flatMap((fact): readonly Breach[] => {
    if (fact.answer === 'silent') return silence(story, fact);
    const subject = `${fact.site} for ${fact.client}, IPv${fact.family}`;
    if (fact.answer.length === 0)
      return [{ invariant: 'dns', at: fact.at, subject, text: 'an empty answer' }];
    const wrong = fact.answer.filter((address) => {
      const known = placeOfAddress(address);
      if (known === null) return true;
      return stale.some(
        ({ place, spans }) =>
          place.node === known.node &&
          place.carrier === known.carrier &&
          place.family === fact.family &&
          covers(spans, fact.at),
      );
    });
    if (wrong.length === 0 || siteBarred(story, fact)) return [];
    const [first = ''] = wrong;
    const place = placeOfAddress(first);
    const text =
      place === null
        ? `${first} is nobody's`
        : `${first} of ${place.node} ${place.carrier}, which no carrier held any more`;
    return [{ invariant: 'dns', at: fact.at, subject, text }];
  });
}

/** From the question to its answer, and from the word to GeoDNS to what the carrier hears. */
const returnedMillis = 3000;

/** A site is silent only while the lab keeps it so. */
function silence(story: Story, fact: FactOf<'dns'>): readonly Breach[] {
  const { returnMillis } = story.bounds;
  const struck = widened(
    when(story, 'maybe', (fault) => fault.kind === 'dns-site' && fault.site === fact.site),
    0,
    returnMillis,
  );
  if (covers(struck, fact.at) || lengthWithin(story.stalls(), fact.at - 3000, fact.at + 1000) > 0) return [];
  return [
    {
      invariant: 'dns',
      at: fact.at,
      subject: fact.site,
      text: 'no reply, and nothing of the lab struck the site',
    },
  ];
}

/** Held by no carrier for longer than the bound, with everybody able to say and to hear it, and others there to be named. */
function mustBeGone(story: Story, place: Place): readonly Span[] {
  const { returnMillis } = story.bounds;
  const deaf = widened(
    when(
      story,
      'maybe',
      (fault) =>
        fault.kind === 'geodns' ||
        ((fault.kind === 'management' || fault.kind === 'clock') && fault.node === place.node),
    ),
    0,
    returnMillis,
  );
  // A BIRD that cannot be reached repeats what was told last (docs/geodns.md).
  const mute = widened(cannotAct(story, place.node), 0, returnMillis);
  const others = union(
    ...story.places
      .filter(
        (one) => one.family === place.family && !(one.node === place.node && one.carrier === place.carrier),
      )
      .map((one) => minus(story.held(one), story.drained(one))),
  );
  const gone = minus(without(story, union(story.held(place), deaf, mute)), without(story, others));
  return gone.flatMap(({ from, to }) => {
    const due = from + story.bounds.dnsMillis;
    const late = due + lengthWithin(story.stalls(), from, due);
    // A return is told and announced at one time: DNS may be the first to have it.
    return late < to - returnedMillis ? [{ from: late, to: to - returnedMillis }] : [];
  });
}

/** A secondary that was struck has the zone again only after a while. */
function siteBarred(story: Story, fact: FactOf<'dns'>): boolean {
  // Secondaries fetch from the first site.
  const struck = when(
    story,
    'maybe',
    (fault) => fault.kind === 'dns-site' && (fault.site === fact.site || fault.site === 'db1'),
  );
  return covers(widened(struck, 0, story.bounds.returnMillis), fact.at);
}
