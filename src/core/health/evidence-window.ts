/** The sums that evidence is taken from slide along: each closed cell comes in, and goes out when it is too old. */
import { baseOf, slotOf } from './cell-ring.ts';
import { type Group, subjectsOf } from './memory.ts';
import { addRtt, rttSlots } from './rtt-histogram.ts';

/** Adds a closed cell to the sums of the evidence (1), or takes one out that leaves it (-1). */
export function addEvidence(group: Group, cell: number, sign: 1 | -1): void {
  if (cell < 0) return;
  const { ring, recent, streams } = group;
  const base = baseOf(ring, cell);
  for (let stream = 0; stream < streams.length; stream += 1) {
    add(recent.answered, stream, sign * (ring.answered[base + stream] ?? 0));
    add(recent.lost, stream, sign * (ring.lost[base + stream] ?? 0));
    add(recent.notRun, stream, sign * (ring.notRun[base + stream] ?? 0));
  }
  const slot = slotOf(ring, cell);
  for (const packed of ring.rtts[slot] ?? []) {
    const bin = packed % rttSlots;
    const stream = Math.floor(packed / rttSlots);
    const target = group.targetOf[stream];
    if (target === undefined || target === null) {
      if (group.gateway !== null) addRtt(group.gateway.rtts, bin, sign);
      continue;
    }
    addRtt(target.rtts, bin, sign);
    addRtt(group.uplinkSubject.rtts, bin, sign);
    const region = group.regionOf[stream];
    if (region !== undefined && region !== null) addRtt(region.rtts, bin, sign);
  }
  if (sign === -1) ring.rtts[slot] = [];
}

function add(sums: Uint32Array, at: number, by: number): void {
  sums[at] = (sums[at] ?? 0) + by;
}

/** Empties all sums. */
export function clearEvidence(group: Group): void {
  for (const sums of Object.values(group.recent)) sums.fill(0);
  for (const subject of subjectsOf(group)) subject.rtts.fill(0);
}
