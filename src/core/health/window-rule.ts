/** The fixed-window rule: more than the policy's bad loss among the last so many probes, whoever's they are. */
import { sumOf } from './cell-ring.ts';
import type { Group, Subject } from './memory.ts';

/** Whether it fires for that subject at the latest closed cell; whole cells, the last of which reaches the number. */
export function windowFires(group: Group, subject: Subject, probes: number, bad: number): boolean {
  const { ring } = group;
  const oldest = Math.max(0, ring.nextClose - ring.windowCells, subject.observedFrom ?? ring.nextClose);
  let answered = 0;
  let lost = 0;
  for (let cell = ring.nextClose - 1; cell >= oldest && answered + lost < probes; cell -= 1) {
    answered += sumOf(ring, ring.answered, subject.streams, cell, null);
    lost += sumOf(ring, ring.lost, subject.streams, cell, null);
  }
  return answered + lost >= probes && lost > bad * (answered + lost);
}
