/**
 * The memory as text, so that a restart of the daemon does not begin a new observation. Its Instants are those of
 * CLOCK_MONOTONIC: it is good within one boot.
 */
import type { Policy } from '../../types/policy.ts';
import { type Group, type HealthMemory, type Stream, type Subject, subjectsOf } from './memory.ts';
import type { PoolTest } from './pool-test.ts';
import {
  type StoredGroup,
  type StoredMemory,
  type StoredStream,
  type StoredSubject,
  type StoredTest,
  sealed,
  storedCells,
  storedRtts,
} from './stored-memory.ts';

/** The whole memory as text, as of its last judgement. Changes nothing. */
export function checkpoint(memory: HealthMemory): string {
  const stored: StoredMemory = {
    at: memory.now,
    cellMillis: memory.cellMillis,
    groups: memory.groups.map((group) => storedGroup(memory.policy, group)),
  };
  return sealed(JSON.stringify(stored));
}

/** Two groups with the same likeness have the same pools and limits. */
export function likenessOf(policy: Policy, group: Group): string {
  const { loss, latency, jitter, windowProbes, patienceMillis, falseAlarmMillis, recovery } = policy;
  const streams = group.streams.map(({ name, address, region }, index) => [
    name,
    address,
    region,
    group.streams[index]?.class,
    group.scale.rates[index],
  ]);
  const times = [patienceMillis, falseAlarmMillis, recovery.cleanMillis];
  return JSON.stringify([loss, latency, jitter, windowProbes, ...times, streams]);
}

function storedGroup(policy: Policy, group: Group): StoredGroup {
  const { ring, uplink, family, streams, countsFrom } = group;
  return {
    uplink,
    family,
    likeness: likenessOf(policy, group),
    nextClose: ring.nextClose,
    firstCell: Math.max(0, ring.nextClose - ring.windowCells),
    streams: streams.map((stream, index) => ({
      name: stream.name,
      address: stream.address,
      class: stream.class,
      plannedAt: stream.plannedAt,
      lastCountedAt: stream.lastCountedAt,
      lastNotRunAt: stream.lastNotRunAt,
      lastNotRunWhy: stream.lastNotRunWhy,
      countsFromLoss: countsFrom.loss[index] ?? 0,
      countsFromSlow: countsFrom.slow[index] ?? 0,
      cells: storedCells(ring, index),
      ...storedHabits(stream),
    })),
    rtts: storedRtts(ring),
    leftOut: { ...group.leftOut },
    subjects: subjectsOf(group).map(storedSubject),
  };
}

function storedHabits({
  trips,
  full,
  recentKinds,
}: Stream): Pick<StoredStream, 'trips' | 'last' | 'full' | 'kinds'> {
  const { icmp, tcp } = recentKinds;
  const { cells, usualMillis, usualJitterMillis, sumMillis, answers, jitterSumMillis, pairs, last } = trips;
  return {
    trips: [cells, usualMillis, usualJitterMillis, sumMillis, answers, jitterSumMillis, pairs],
    last: [...last].map(([kind, [sentAt, rtt]]) => [kind, sentAt, rtt]),
    full: [full.passed, full.lostInRow, full.at],
    kinds: [icmp.answered, icmp.lost, tcp.answered, tcp.lost],
  };
}

function storedSubject(subject: Subject): StoredSubject {
  const { who, failedBy, slowBy, observedFrom, observedTo, failedBefore, why, shown } = subject;
  const test = ({ bad, badFrom, pools }: PoolTest): StoredTest => ({
    bad,
    badFrom,
    pools: pools.map((pool) => [
      pool.score,
      pool.calm,
      pool.cleanFrom,
      pool.counted,
      pool.bad,
      pool.risingFrom,
      pool.countedTo,
    ]),
  });
  return {
    who: JSON.stringify(who),
    failedBy,
    slowBy,
    observedFrom,
    observedTo,
    failedBefore,
    why: { ...why },
    shown,
    loss: test(subject.loss),
    slow: test(subject.slow),
  };
}
