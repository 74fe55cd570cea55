/** Figures of the last seconds: sliding ones for every verdict, and those of a given time for a decision's sentence. */
import type { Evidence } from '../../types/health.ts';
import type { Policy } from '../../types/policy.ts';
import { ratio } from '../../types/units.ts';
import { slotOf, sumOf } from './cell-ring.ts';
import type { Group, Subject } from './memory.ts';
import { type RttHistogram, addRtt, newHistogram, quantile, rttSlots } from './rtt-histogram.ts';

/** The subject's figures over the closed cells of the evidence (the patience, at least 10 s). */
export function evidenceOf(group: Group, policy: Policy, subject: Subject): Evidence {
  const { recent } = group;
  return figures(policy, subject, recent, subject.rtts);
}

/** The same over the last `cells` closed cells; of round trips only those that are kept. */
export function evidenceOfLast(group: Group, policy: Policy, subject: Subject, cells: number): Evidence {
  const { ring, streams } = group;
  const first = Math.max(0, ring.nextClose - Math.min(cells, ring.windowCells));
  const counts = {
    answered: new Uint32Array(streams.length),
    lost: new Uint32Array(streams.length),
    notRun: new Uint32Array(streams.length),
  };
  const rtts = newHistogram();
  for (let cell = first; cell < ring.nextClose; cell += 1) {
    for (const stream of subject.streams) {
      counts.answered[stream] =
        (counts.answered[stream] ?? 0) + sumOf(ring, ring.answered, [stream], cell, null);
      counts.lost[stream] = (counts.lost[stream] ?? 0) + sumOf(ring, ring.lost, [stream], cell, null);
      counts.notRun[stream] = (counts.notRun[stream] ?? 0) + sumOf(ring, ring.notRun, [stream], cell, null);
    }
    for (const packed of ring.rtts[slotOf(ring, cell)] ?? []) {
      if (subject.streams.includes(Math.floor(packed / rttSlots))) addRtt(rtts, packed % rttSlots, 1);
    }
  }
  return figures(policy, subject, counts, rtts);
}

function figures(policy: Policy, subject: Subject, counts: Group['recent'], rtts: RttHistogram): Evidence {
  let answered = 0;
  let lost = 0;
  let notRun = 0;
  let badTargets = 0;
  for (const stream of subject.streams) {
    const ownAnswered = counts.answered[stream] ?? 0;
    const ownLost = counts.lost[stream] ?? 0;
    answered += ownAnswered;
    lost += ownLost;
    notRun += counts.notRun[stream] ?? 0;
    if (ownLost > policy.loss.bad * (ownAnswered + ownLost)) badTargets += 1;
  }
  return {
    loss: answered + lost > 0 ? ratio(lost / (answered + lost)) : null,
    rttP50Millis: quantile(rtts, 0.5),
    rttP95Millis: quantile(rtts, 0.95),
    answered,
    lost,
    notRun,
    targets: subject.streams.length,
    badTargets,
  };
}
