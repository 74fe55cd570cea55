/** All invariants over the facts of a run, in order of time. Pure: a log can be judged again at any time. */
import type { Breach, InvariantName } from './breach.ts';
import type { Fact } from './facts.ts';
import { judgeAnnouncer } from './invariants/announcer.ts';
import { judgeBudget } from './invariants/budget.ts';
import { judgeDead } from './invariants/dead.ts';
import { judgeDns } from './invariants/dns.ts';
import { judgeEdge } from './invariants/edge.ts';
import { judgeHistory } from './invariants/history.ts';
import { judgePrefixes } from './invariants/prefixes.ts';
import { judgeReturns } from './invariants/returns.ts';
import { judgeSessions } from './invariants/sessions.ts';
import { storyOf, type Story } from './story.ts';

const judges: Readonly<Record<InvariantName, (story: Story) => readonly Breach[]>> = {
  announcer: judgeAnnouncer,
  dead: judgeDead,
  prefixes: judgePrefixes,
  budget: judgeBudget,
  sessions: judgeSessions,
  dns: judgeDns,
  history: judgeHistory,
  edge: judgeEdge,
  returns: judgeReturns,
};

export function judge(facts: readonly Fact[]): readonly Breach[] {
  const story = storyOf(facts);
  return Object.values(judges)
    .flatMap((judgeOne) => judgeOne(story))
    .toSorted((a, b) => a.at - b.at);
}
