/** Each change that a carrier saw, but for those that came and went with its session, has its record on the node. Pure. */
import type { Breach } from '../breach.ts';
import { covers, lengthWithin, type Span, union, widened } from '../intervals.ts';
import { samePlace, type Story, when } from '../story.ts';
import { fellsSession } from '../truth.ts';
import { subjectOf } from './dead.ts';

/** The command is sent, and may be recorded, before the carrier hears it. */
const beforeMillis = 5000;

export function judgeHistory(story: Story): readonly Breach[] {
  const dropped = story
    .of('record')
    .filter(({ about }) => about.kind === 'dropped')
    .map(
      ({ node, at }): Breach => ({ invariant: 'history', at, subject: node, text: 'entries were dropped' }),
    );
  return [...dropped, ...unrecorded(story)];
}

function unrecorded(story: Story): readonly Breach[] {
  return story.of('heard').flatMap((fact): readonly Breach[] => {
    const { node, carrier, family, at } = fact;
    if (!story.begin.prefixes.includes(fact.prefix)) return [];
    if (covers(withSession(story, fact), at)) return [];
    const away = union(
      widened(
        when(story, 'maybe', (fault) => fault.kind === 'daemon' && fault.node === node),
        1000,
        story.bounds.returnMillis,
      ),
    );
    // What was not on the disk when the daemon was killed is lost with it.
    if (lost(story, node, at)) return [];
    const late = at + story.bounds.recordMillis + (covers(away, at) ? lengthOf(away, at) : 0);
    const until = late + lengthWithin(story.stalls(), at, late);
    const found = story
      .of('record')
      .some(
        ({ node: of, at: when_, about }) =>
          of === node &&
          about.kind !== 'dropped' &&
          about.carrier === carrier &&
          about.family === family &&
          when_ >= at - beforeMillis &&
          when_ <= until,
      );
    if (found || until > story.end) return [];
    return [
      {
        invariant: 'history',
        at,
        subject: subjectOf(fact),
        text: `${fact.what}, and the history of ${node} does not tell of it`,
      },
    ];
  });
}

/** The session had just come up, or was about to fall. */
function withSession(story: Story, place: Parameters<typeof samePlace>[0]): readonly Span[] {
  const changes = story.of('session').filter((fact) => samePlace(fact, place));
  return union(
    changes.map(({ at }) => ({ from: at - 2000, to: at + 5000 })),
    when(story, 'maybe', (fault) => fellsSession(fault, place)),
  );
}

function lost(story: Story, node: string, at: number): boolean {
  const full = when(story, 'maybe', (fault) => fault.kind === 'disk-full' && fault.node === node);
  const killed = when(
    story,
    'maybe',
    (fault) => fault.kind === 'daemon' && fault.what === 'killed' && fault.node === node,
  );
  return killed.some(
    ({ from }) => (covers(full, at) && covers(full, from)) || (at <= from && from - at < 1500),
  );
}

function lengthOf(spans: readonly Span[], at: number): number {
  const span = spans.find(({ from, to }) => from <= at && at < to);
  return span === undefined ? 0 : span.to - at;
}
