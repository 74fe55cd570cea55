/** One judgement: closes the cells that are due, and says what the verdicts are and which have changed. */
import type { LinkFact, Transition, UplinkHealth, Verdict } from '../../types/health.ts';
import type { Policy } from '../../types/policy.ts';
import { type Instant, instant } from '../../types/units.ts';
import { checkpoint } from './checkpoint.ts';
import { closeDue } from './close-cell.ts';
import { createHealth } from './create-health.ts';
import { delayClean, turnBad } from './pool-test.ts';
import { blame } from './relative.ts';
import { restoreHealth } from './restore-health.ts';
import { textOf } from './verdict-text.ts';
import { type Group, type HealthMemory, type Subject, subjectsOf } from './memory.ts';
import { classify, verdictOf } from './verdict.ts';

export interface Judgement {
  readonly memory: HealthMemory;
  /** One entry for each uplink and family of the plan, in the order of its tasks. */
  readonly health: readonly UplinkHealth[];
  readonly transitions: readonly Transition[];
}

/** After its end and the timeout, a cell waits this long for outcomes that are on their way from the prober. */
const slackMillis = { unreported: 250, reported: 100 };

/**
 * Judges all uplinks at `now`. `links` has the state of each uplink's interface; one that is not in it counts as up.
 * `reportedAt` is the `at` of the prober's latest batch that was observed: cells are closed by it where it is given, so
 * that a daemon that was late does not close cells whose outcomes still wait in the channel. Without it they are
 * closed by `now`. Time never runs back: an earlier `now` than the last one is taken for the last one.
 *
 * The memory is consumed. Pass the same policy object as long as it stands: with another one, counts and decisions are
 * carried over and the scores computed again (a new observation begins where the length of the cells differs). Results of uplinks in which nothing changed are the same objects as before.
 */
export function judge(
  memory: HealthMemory,
  policy: Policy,
  links: ReadonlyMap<string, LinkFact>,
  now: Instant,
  reportedAt?: Instant,
): Judgement {
  if (policy !== memory.policy) {
    const { tasks } = memory;
    const carried = restoreHealth(checkpoint(memory), tasks, policy, memory.now);
    return judge(carried ?? createHealth(tasks, policy, now), policy, links, now, reportedAt);
  }
  memory.now = instant(Math.max(memory.now, now));
  const slack = reportedAt === undefined ? slackMillis.unreported : slackMillis.reported;
  const until = Math.min(memory.now, reportedAt ?? memory.now) - slack;
  blame(memory.groups, memory.shared, memory.now);
  const transitions: Transition[] = [];
  const health = memory.groups.map((group) => {
    const link = links.get(group.uplink) ?? 'up';
    if (link !== 'up') noteLink(memory, group, link);
    closeDue(memory, group, until);
    return show(memory, group, link, transitions);
  });
  return { memory, health, transitions };
}

/** A link that is down fails the uplink at once; the clean run starts only after it is there and up again. */
function noteLink(memory: HealthMemory, group: Group, link: 'down' | 'missing'): void {
  const { uplinkSubject } = group;
  const next = Math.floor(memory.now / memory.cellMillis) + 1;
  if (link === 'missing') return delayClean(uplinkSubject.loss, next);
  uplinkSubject.failedBy = 'link-down';
  return turnBad(uplinkSubject.loss, next);
}

function show(memory: HealthMemory, group: Group, link: LinkFact, transitions: Transition[]): UplinkHealth {
  let changed = false;
  for (const subject of subjectsOf(group))
    changed = renew(memory, group, subject, link, transitions) || changed;
  if (group.health !== null && !changed) return group.health;
  const verdict = (subject: Subject): Verdict => verdictOf(memory, group, subject);
  const health: UplinkHealth = {
    uplink: group.uplink,
    family: group.family,
    uplinkVerdict: verdict(group.uplinkSubject),
    gateway: group.gateway === null ? null : verdict(group.gateway),
    regions: new Map(group.regions.map((region) => [region.name, verdict(region.subject)])),
    targets: new Map([...group.targets].map(([name, subject]) => [name, verdict(subject)])),
  };
  group.health = health;
  return health;
}

/** Brings what the subject shows up to date; true where it has changed. */
function renew(
  memory: HealthMemory,
  group: Group,
  subject: Subject,
  link: LinkFact,
  transitions: Transition[],
): boolean {
  const { shown } = subject;
  const next = classify(memory, group, subject, link);
  if (next.health === shown.health && next.reason === shown.reason) return false;
  const text = textOf(group, memory.policy, subject, next.reason, memory.now);
  const since = next.health === shown.health ? shown.since : memory.now;
  subject.shown = { health: next.health, reason: next.reason, text, since };
  if (next.health !== shown.health) {
    const { uplink, family } = group;
    transitions.push({
      uplink,
      family,
      subject: subject.who,
      from: shown.health,
      to: next.health,
      reason: next.reason,
      text,
    });
  }
  return true;
}
