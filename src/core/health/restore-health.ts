/** A checkpoint becomes a memory again. */
import type { ProbeTask } from '../../types/outcome.ts';
import type { Policy } from '../../types/policy.ts';
import { type Instant, type Millis, after, elapsed, instant } from '../../types/units.ts';
import { clearRing } from './cell-ring.ts';
import { likenessOf } from './checkpoint.ts';
import { createHealth } from './create-health.ts';
import { addEvidence } from './evidence-window.ts';
import { partsWithout } from './left-out.ts';
import { type Group, type HealthMemory, type Stream, type Subject, subjectsOf } from './memory.ts';
import { type PoolTest, forgetScores, rescore } from './pool-test.ts';
import {
  type StoredGroup,
  type StoredStream,
  type StoredSubject,
  type StoredTest,
  takeCells,
  takeRtts,
  unsealed,
} from './stored-memory.ts';
import { evidenceCells } from './thresholds.ts';

/** An older checkpoint is refused: too much may have happened since. */
const greatestAgeMillis = 10_000;

/**
 * The memory of a checkpoint for these tasks and this policy. Targets that are still in the plan go on where they
 * were; others begin anew. The time between checkpoint and `now` does not count as silence of the prober.
 * Null: the text is damaged or of another version, older than 10 s, from another boot, or its cells have another
 * length than this policy's; begin with `createHealth` then.
 */
export function restoreHealth(
  text: string,
  tasks: readonly ProbeTask[],
  policy: Policy,
  now: Instant,
): HealthMemory | null {
  const stored = unsealed(text);
  if (stored === null) return null;
  const at = instant(stored.at);
  if (at > now || elapsed(at, now) > greatestAgeMillis) return null;
  const fresh = createHealth(tasks, policy, now);
  if (stored.cellMillis !== fresh.cellMillis) return null;
  const away = elapsed(at, now);
  for (const group of fresh.groups) {
    const own = stored.groups.find((one) => one.uplink === group.uplink && one.family === group.family);
    if (own === undefined) continue;
    takeGroup(policy, group, own, away);
  }
  return { ...fresh, now: at };
}

function takeGroup(policy: Policy, group: Group, own: StoredGroup, away: Millis): void {
  const { ring } = group;
  clearRing(ring, own.nextClose);
  const places = own.streams.map((stored) =>
    group.streams.findIndex(
      (stream) =>
        stream.name === stored.name && stream.address === stored.address && stream.class === stored.class,
    ),
  );
  own.streams.forEach((stored, index) => {
    const place = places[index] ?? -1;
    const stream = group.streams[place];
    if (stream === undefined) return;
    group.countsFrom.loss[place] = stored.countsFromLoss;
    group.countsFrom.slow[place] = stored.countsFromSlow;
    stream.plannedAt = instant(stored.plannedAt);
    stream.lastCountedAt = stored.lastCountedAt === null ? null : instant(stored.lastCountedAt);
    stream.lastNotRunAt = stored.lastNotRunAt === null ? null : instant(stored.lastNotRunAt);
    stream.lastNotRunWhy = stored.lastNotRunWhy;
    shiftTimes(stream, (time) => after(time, away));
    takeHabits(stream, stored);
    takeCells(ring, place, own, stored.cells);
  });
  takeRtts(ring, own, places);
  for (let back = evidenceCells(policy); back >= 1; back -= 1) addEvidence(group, ring.nextClose - back, 1);
  const same = own.likeness === likenessOf(policy, group);
  for (const subject of subjectsOf(group)) {
    const stored = own.subjects.find((one) => one.who === JSON.stringify(subject.who));
    takeSubject(group, subject, stored, same ? own.leftOut : null);
  }
  if (same) Object.assign(group.leftOut, own.leftOut);
}

function takeHabits({ trips, full, recentKinds }: Stream, stored: StoredStream): void {
  const [cells = 0, usual = 0, usualJitter = 0, sum = 0, answers = 0, jitterSum = 0, pairs = 0] =
    stored.trips;
  Object.assign(trips, { cells, usualMillis: usual, usualJitterMillis: usualJitter });
  Object.assign(trips, { sumMillis: sum, answers, jitterSumMillis: jitterSum, pairs });
  for (const [kind, sentAt, rtt] of stored.last) trips.last.set(kind, [sentAt, rtt]);
  const [passed, lostInRow, at] = stored.full;
  Object.assign(full, { passed, lostInRow, at });
  const [icmpAnswered, icmpLost, tcpAnswered, tcpLost] = stored.kinds;
  Object.assign(recentKinds.icmp, { answered: icmpAnswered, lost: icmpLost });
  Object.assign(recentKinds.tcp, { answered: tcpAnswered, lost: tcpLost });
}

/** `leftOut`: plan and policy are the same, so the scores are taken as they are; null: they are computed again. */
function takeSubject(
  group: Group,
  subject: Subject,
  stored: StoredSubject | undefined,
  leftOut: Group['leftOut'] | null,
): void {
  for (const kind of ['loss', 'slow'] as const) {
    const test = subject[kind];
    const isUplink = subject.who.kind === 'uplink';
    const key = isUplink ? (leftOut?.[kind] ?? '') : '';
    const out = key === '' ? [] : key.split(',').map(Number);
    const parts = isUplink ? partsWithout(group.regions, out) : test.parts;
    if (stored !== undefined) {
      test.bad = stored[kind].bad;
      test.badFrom = stored[kind].badFrom;
    }
    rescore(test, parts, group.scale, group.ring, group.countsFrom[kind]);
    // The policy may call other answers slow now.
    if (leftOut === null && kind === 'slow') forgetScores(test, group.ring.nextClose);
    if (stored !== undefined && leftOut !== null) takeScores(test, stored[kind]);
  }
  if (stored === undefined) return;
  subject.failedBy = stored.failedBy;
  subject.slowBy = stored.slowBy;
  subject.observedFrom = stored.observedFrom;
  subject.observedTo = stored.observedTo;
  subject.failedBefore = stored.failedBefore;
  Object.assign(subject.why, stored.why);
  const { health, reason, text, since } = stored.shown;
  subject.shown = { health, reason, text, since: instant(since) };
}

function takeScores(test: PoolTest, stored: StoredTest): void {
  stored.pools.forEach(([score, calm, cleanFrom, counted, bad, risingFrom, countedTo], index) => {
    const pool = test.pools[index];
    if (pool !== undefined)
      Object.assign(pool, { score, calm, cleanFrom, counted, bad, risingFrom, countedTo });
  });
}

function shiftTimes(stream: Stream, shift: (time: Instant) => Instant): void {
  stream.plannedAt = shift(stream.plannedAt);
  if (stream.lastCountedAt !== null) stream.lastCountedAt = shift(stream.lastCountedAt);
  if (stream.lastNotRunAt !== null) stream.lastNotRunAt = shift(stream.lastNotRunAt);
}
