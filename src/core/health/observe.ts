/** Outcomes come in; they are only counted here. */
import type { Sample } from '../../types/outcome.ts';
import type { Policy } from '../../types/policy.ts';
import { type Trip, addOutcome, isOpen } from './cell-ring.ts';
import { noteFullSize } from './full-size.ts';
import type { HealthMemory, Place, Stream } from './memory.ts';
import { isTimed, takeAnswer } from './round-trips.ts';

/**
 * Counts outcomes in the cells of their sending; the order of the samples does not matter. Samples whose cell is
 * closed, or of tasks that are not in the plan, are ignored: late news never un-decides. The memory is consumed.
 */
export function observe(memory: HealthMemory, samples: readonly Sample[]): HealthMemory {
  const { policy } = memory;
  const judgesTrips = needsTrips(policy);
  // What is successive and what is usual hang on the order of sending; counts do not.
  const ordered = judgesTrips ? samples.toSorted(bySending) : samples;
  const fullSize: Sample[] = [];
  for (const sample of ordered) {
    const place = memory.places.get(sample.task);
    if (place === undefined) memory.ignored += 1;
    else if (place.kind === 'mtu') fullSize.push(sample);
    else if (!count(place, sample, policy, judgesTrips)) memory.ignored += 1;
  }
  for (const sample of fullSize.sort(bySending)) {
    const place = memory.places.get(sample.task);
    const full = place?.group.streams[place.stream]?.full;
    if (full !== undefined) noteFullSize(full, sample);
  }
  return memory;
}

function bySending(one: Sample, other: Sample): number {
  return one.sentAt - other.sentAt || one.task - other.task;
}

/** Whether more is asked of a round trip than one limit for all. */
export function needsTrips({ latency, jitter }: Policy): boolean {
  return latency.baseline !== undefined || jitter !== undefined;
}

/** False: its cell is closed already. */
function count(place: Place, sample: Sample, policy: Policy, judgesTrips: boolean): boolean {
  const { group, kind } = place;
  const { outcome } = sample;
  const stream = group.streams[place.stream];
  const cell = Math.floor(sample.sentAt / group.cellMillis);
  if (stream === undefined || !isOpen(group.ring, cell)) return false;
  let trip: Trip = 'untimed';
  if (outcome.kind === 'answered' && isTimed(kind)) {
    const slow = judgesTrips
      ? takeAnswer(stream.trips, policy, kind, { ...sample, outcome })
      : outcome.rttMillis > policy.latency.badMillis;
    trip = slow ? 'slow' : 'well';
  }
  addOutcome(group.ring, place.stream, cell, outcome, trip);
  if ((kind === 'icmp' || kind === 'tcp') && outcome.kind !== 'not-run') {
    stream.recentKinds[kind][outcome.kind] += 1;
  }
  noteTime(stream, sample);
  return true;
}

function noteTime(stream: Stream, sample: Sample): void {
  const { sentAt, outcome } = sample;
  if (outcome.kind !== 'not-run') {
    if (stream.lastCountedAt === null || sentAt > stream.lastCountedAt) stream.lastCountedAt = sentAt;
    return;
  }
  const last = stream.lastNotRunAt;
  // Of two at the same time the one that sorts first, so that the order of samples leaves no trace.
  const newer = last === null || sentAt > last;
  if (newer || (sentAt === last && outcome.why < (stream.lastNotRunWhy ?? ''))) {
    stream.lastNotRunAt = sentAt;
    stream.lastNotRunWhy = outcome.why;
  }
}
