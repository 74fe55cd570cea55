/**
 * No more UPDATEs on a session than what happened accounts for: a session that nothing happened to hears nothing. Pure.
 */
import { unreachable } from '../../../src/types/unreachable.ts';
import type { Breach } from '../breach.ts';
import type { Place } from '../facts.ts';
import { type FaultSpan, samePlace, type Story } from '../story.ts';
import { subjectOf } from './dead.ts';

/** A place leaves and returns, drained on its way or not: four, and two for a guard that makes it return and leave once more. */
const perFault = 6;
/** A fault that lies between good and bad may end in a verdict again and again; the lab's holds are two seconds and more. */
const unsteadyMillis = 4000;
/** A session that comes up hears the prefix, and its drain where there is one. */
const perSession = 2;

export function judgeBudget(story: Story): readonly Breach[] {
  return story.places.flatMap((place) => {
    const updates = story.of('heard').filter((fact) => samePlace(fact, place));
    const ups = story.of('session').filter((fact) => fact.up && samePlace(fact, place)).length;
    const allowed = story.faults.reduce((sum, one) => sum + allowance(one, place), 0) + ups * perSession;
    const first = updates[allowed];
    if (first === undefined) return [];
    const text = `${updates.length} UPDATEs, where what happened accounts for ${allowed}`;
    return [{ invariant: 'budget', at: first.at, subject: subjectOf(place), text } satisfies Breach];
  });
}

function allowance({ fault, maybe }: FaultSpan, place: Place): number {
  const here = 'node' in fault && fault.node === place.node;
  switch (fault.kind) {
    case 'loss':
    case 'bursts':
    case 'delay':
    case 'region-dead':
      return here ? perFault + 2 * Math.ceil((maybe.to - maybe.from) / unsteadyMillis) : 0;
    // The other uplinks of the node move with it where a guard exchanges one for another.
    case 'uplink-dead':
    case 'link-down':
    case 'interface-deleted':
    case 'operator':
    case 'hand':
    case 'service':
    case 'conntrack-full':
      return here ? perFault : 0;
    case 'carrier-dead':
    case 'targets-dead':
      return perFault;
    case 'bird':
      return here && fault.what !== 'configured' ? perFault : 0;
    case 'daemon':
    case 'prober':
    case 'edge':
    case 'redis':
    case 'management':
    case 'dns-site':
    case 'geodns':
    case 'clock':
    case 'disk-full':
      return 0;
    default:
      return unreachable(fault);
  }
}
