/** No announcement stays on a truly dead uplink beyond the bound, but where a guard of the history holds it. Pure. */
import type { Breach } from '../breach.ts';
import { both, lengthWithin, minus, union } from '../intervals.ts';
import type { Story } from '../story.ts';
import { cannotAct, heldByGuard, keptByPeople, trulyDead } from '../truth.ts';

/** The bound begins anew after each time in which the node could not act: it then measures a whole window again. */
export function judgeDead(story: Story): readonly Breach[] {
  return story.places.flatMap((place) => {
    const excused = union(
      cannotAct(story, place.node),
      keptByPeople(story, place),
      heldByGuard(story, place),
    );
    return minus(trulyDead(story, place), excused).flatMap(({ from, to }): readonly Breach[] => {
      const due = from + story.bounds.deadMillis;
      const deadline = due + lengthWithin(story.stalls(), from, due);
      const late = both(story.held(place), [{ from: deadline, to }]);
      const [first] = late;
      if (first === undefined || deadline >= to) return [];
      const text = `announced for ${Math.round(last(late) - from)} ms on an uplink that was dead, and no guard held it`;
      return [{ invariant: 'dead', at: first.from, subject: subjectOf(place), text }];
    });
  });
}

function last(spans: readonly { readonly to: number }[]): number {
  return spans.at(-1)?.to ?? 0;
}

export function subjectOf({
  node,
  carrier,
  family,
}: {
  readonly node: string;
  readonly carrier: string;
  readonly family: number;
}): string {
  return `${node} ${carrier} IPv${family}`;
}
