/** A user is never sent to a node that has lost the user's carrier for longer than the bound. Pure. */
import type { Breach } from '../breach.ts';
import { covers, lengthWithin, union, widened } from '../intervals.ts';
import { type Story, when, without } from '../story.ts';
import { cannotAct } from '../truth.ts';

export function judgeEdge(story: Story): readonly Breach[] {
  return story.of('visit').flatMap(({ at, node, carrier, sentTo }): readonly Breach[] => {
    if (sentTo === null) return [];
    const place = { node: sentTo, carrier, family: 4 as const };
    // Nodes hear of each other through Redis, and each edge from its own daemon.
    const deaf = union(
      when(
        story,
        'maybe',
        (fault) =>
          fault.kind === 'redis' ||
          (fault.kind === 'management' && (fault.node === node || fault.node === sentTo)),
      ),
      cannotAct(story, node),
      cannotAct(story, sentTo),
    );
    const gone = without(
      story,
      union(story.held(place), widened(deaf, 0, story.bounds.returnMillis)),
    ).flatMap(({ from, to }) => {
      const due = from + story.bounds.dnsMillis;
      return [{ from: due + lengthWithin(story.stalls(), from, due), to }];
    });
    if (!covers(gone, at)) return [];
    return [
      {
        invariant: 'edge',
        at,
        subject: `${node} → ${sentTo}`,
        text: `a user of ${carrier} was sent to ${sentTo}, which that carrier did not hold any more`,
      },
    ];
  });
}
