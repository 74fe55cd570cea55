/**
 * A cell is closed: its counts go into the evidence and into every test, and the tests are decided.
 *
 * Loss and slowness are decided each by itself, for each subject:
 *
 *            every leave-one-out pool alarms
 *     good ───────────────────────────────────▶ bad
 *          ◀───────────────────────────────────
 *            some pool clean for recovery.clean
 *
 * Of the uplink, bad regions at or above the share make it bad too, and it cannot turn good while they are.
 * Targets come first, then regions, then the uplink, since its pools leave out what has a verdict of its own.
 */
import type { Policy } from '../../types/policy.ts';
import { clearRing, closeNext, sumOf } from './cell-ring.ts';
import { decisionText, slowReason } from './decision-text.ts';
import { addEvidence, clearEvidence } from './evidence-window.ts';
import { regionsAgainst, leftOutStreams, partsWithout, reachesShare, signsOf } from './left-out.ts';
import type { Group, HealthMemory, Subject } from './memory.ts';
import {
  type PoolTest,
  type TestKind,
  advanceTest,
  forgetScores,
  rescore,
  testAlarms,
  testCleanSince,
  testLooksBad,
  turnBad,
  turnGood,
} from './pool-test.ts';
import { needsTrips } from './observe.ts';
import { learn } from './round-trips.ts';
import { evidenceCells } from './thresholds.ts';
import { windowFires } from './window-rule.ts';

const kinds: readonly TestKind[] = ['loss', 'slow'];

/** Closes all cells of the group that ended, timeout included, by `until`. */
export function closeDue(memory: HealthMemory, group: Group, until: number): void {
  const { ring } = group;
  const due = Math.floor((until - group.timeoutMillis) / memory.cellMillis);
  if (due - ring.nextClose > ring.windowCells) {
    // Nothing that is kept reaches this far; what follows is a new observation, as after any gap.
    clearRing(ring, due);
    clearEvidence(group);
    group.health = null;
  }
  while (ring.nextClose < due) closeCell(memory, group);
}

function closeCell(memory: HealthMemory, group: Group): void {
  const { policy } = memory;
  closeNext(group.ring);
  const cell = group.ring.nextClose - 1;
  const window = evidenceCells(policy);
  addEvidence(group, cell, 1);
  addEvidence(group, cell - window, -1);
  closeStreams(group, policy);
  const recoverCells = Math.ceil(policy.recovery.cleanMillis / memory.cellMillis);
  const below = [...group.targets.values(), ...group.regions.map((region) => region.subject)];
  for (const subject of group.gateway === null ? below : [...below, group.gateway]) {
    watch(group, subject, cell, window);
    for (const kind of kinds) {
      advanceTest(subject[kind], group.ring, cell);
      decide(memory, group, kind, subject, { cell, recoverCells, share: 'no' });
    }
  }
  closeForUplink(memory, group, { cell, recoverCells, window });
  group.health = null;
}

/** Share of what a stream remembers of its kinds of probes that is left after a second: a fault is told by its own. */
const fadingPerSecond = 0.5;

function closeStreams(group: Group, policy: Policy): void {
  const learns = needsTrips(policy);
  const fading = fadingPerSecond ** group.scale.cellSeconds;
  for (let index = 0; index < group.streams.length; index += 1) {
    const stream = group.streams[index];
    if (stream === undefined) continue;
    for (const counts of [stream.recentKinds.icmp, stream.recentKinds.tcp]) {
      counts.answered *= fading;
      counts.lost *= fading;
    }
    const target = group.targetOf[index];
    if (learns) learn(stream.trips, policy, target?.slow.bad === true || target?.loss.bad === true);
  }
}

interface Moment {
  readonly cell: number;
  readonly recoverCells: number;
}

function closeForUplink(memory: HealthMemory, group: Group, at: Moment & { readonly window: number }): void {
  const { policy } = memory;
  const subject = group.uplinkSubject;
  watch(group, subject, at.cell, at.window);
  for (const kind of kinds) {
    scoreUplink(group, policy, kind, at.cell);
    const share = sharedBy(group, policy, kind);
    decide(memory, group, kind, subject, { ...at, share });
  }
}

/** Whether bad regions make the uplink bad: `alone`, while others are well; `all`, as part of a fault of everything. */
function sharedBy(group: Group, policy: Policy, kind: TestKind): 'no' | 'alone' | 'all' {
  if (group.regions.length < 2) return 'no';
  const bad = regionsAgainst(group, kind);
  if (!reachesShare(group, policy, bad)) return 'no';
  const others = group.regions.filter((region) => !bad.includes(region));
  return others.some((region) => !testLooksBad(region.subject[kind])) ? 'alone' : 'all';
}

/** Adds the cell to the uplink's pools, or makes them anew where they leave out something else than before. */
function scoreUplink(group: Group, policy: Policy, kind: TestKind, cell: number): void {
  const test = group.uplinkSubject[kind];
  const signs = signsOf(group, kind);
  if (signs !== group.signs[kind]) {
    group.signs[kind] = signs;
    const out = leftOutStreams(group, policy, kind);
    const key = out.join(',');
    if (key !== group.leftOut[kind]) {
      group.leftOut[kind] = key;
      rescore(test, partsWithout(group.regions, out), group.scale, group.ring, group.countsFrom[kind]);
      return;
    }
  }
  advanceTest(test, group.ring, cell);
}

function decide(
  memory: HealthMemory,
  group: Group,
  kind: TestKind,
  subject: Subject,
  at: Moment & { readonly share: 'no' | 'alone' | 'all' },
): void {
  const test = subject[kind];
  if (!test.bad) {
    const own = alarmsNow(memory.policy, group, kind, subject);
    if (!own && at.share === 'no') return;
    turnBad(test, at.cell + 1);
    const by = own && at.share !== 'alone' ? 'loss' : 'regions';
    if (kind === 'loss') subject.failedBy = by;
    else subject.slowBy = slowReason(group, memory.policy, subject);
    const reason = kind === 'loss' ? by : subject.slowBy;
    subject.why[kind] = decisionText(group, memory.policy, subject, reason);
    return;
  }
  // A cell in which nothing was counted ends no fault.
  const mayEnd = at.share === 'no' && subject.observedTo === at.cell;
  const since = mayEnd ? testCleanSince(test, at.cell) : null;
  if (since === null || at.cell + 1 - since < at.recoverCells) return;
  turnGood(test);
  const from = group.countsFrom[kind];
  for (const stream of subject.streams) from[stream] = Math.max(from[stream] ?? 0, since);
}

/** The sequential test, or the fixed window where the policy asks for it. */
function alarmsNow(policy: Policy, group: Group, kind: TestKind, subject: Subject): boolean {
  const { windowProbes } = policy;
  if (kind === 'slow' || windowProbes === undefined) return testAlarms(subject[kind]);
  return windowFires(group, subject, windowProbes, policy.loss.bad);
}

/** Notes when the subject was measured; after a gap longer than the evidence, observation begins anew. */
function watch(group: Group, subject: Subject, cell: number, gapCells: number): void {
  const { ring } = group;
  const counted =
    sumOf(ring, ring.answered, subject.streams, cell, null) +
    sumOf(ring, ring.lost, subject.streams, cell, null);
  if (counted === 0) return;
  if (subject.observedFrom === null || cell - subject.observedTo > gapCells) {
    subject.observedFrom = cell;
    subject.failedBefore = subject.loss.bad;
    for (const test of [subject.loss, subject.slow] satisfies PoolTest[]) forgetScores(test, cell);
    for (const stream of subject.streams) {
      for (const kind of kinds) group.countsFrom[kind][stream] = cell;
    }
  }
  subject.observedTo = cell;
}
