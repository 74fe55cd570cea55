/** Outcomes come in; they are only counted here. */
import type { Sample } from '../../types/outcome.ts';
import { addOutcome } from './cell-ring.ts';
import type { HealthMemory, Stream } from './memory.ts';

/**
 * Counts outcomes in the cells of their sending; the order of the samples does not matter. Samples whose cell is
 * closed, or of tasks that are not in the plan, are ignored: late news never un-decides. The memory is consumed.
 */
export function observe(memory: HealthMemory, samples: readonly Sample[]): HealthMemory {
  const slowMillis = memory.policy.latency.badMillis;
  for (const sample of samples) {
    const place = memory.places.get(sample.task);
    if (place === undefined) {
      memory.ignored += 1;
      continue;
    }
    const cell = Math.floor(sample.sentAt / memory.cellMillis);
    const { ring, streams } = place.group;
    if (!addOutcome(ring, place.stream, cell, sample.outcome, slowMillis)) {
      memory.ignored += 1;
      continue;
    }
    const stream = streams[place.stream];
    if (stream !== undefined) noteTime(stream, sample);
  }
  return memory;
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
