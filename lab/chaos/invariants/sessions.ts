/** A session falls only with its link or with BIRD itself. Pure. */
import type { Breach } from '../breach.ts';
import { covers, widened } from '../intervals.ts';
import { type Story, when } from '../story.ts';
import { fellsSession } from '../truth.ts';
import { subjectOf } from './dead.ts';

/** BIRD's hold time, by which a session with one that is halted ends. */
const holdMillis = 30_000;

export function judgeSessions(story: Story): readonly Breach[] {
  return story.of('session').flatMap((fact): readonly Breach[] => {
    if (fact.up) return [];
    const explained = widened(
      when(story, 'maybe', (fault) => fellsSession(fault, fact)),
      1000,
      holdMillis,
    );
    if (covers(explained, fact.at)) return [];
    return [
      {
        invariant: 'sessions',
        at: fact.at,
        subject: subjectOf(fact),
        text: 'the session fell, and nothing of the lab did it',
      },
    ];
  });
}
