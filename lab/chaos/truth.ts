/** What was really so, by what the lab did: which uplinks were dead, and who could act. Pure. */
import type { FleetNodeName } from '../network/names.ts';
import type { Place } from './facts.ts';
import type { ChaosFault } from './fault.ts';
import { type Span, union, widened } from './intervals.ts';
import { type Story, when } from './story.ts';

/** No user behind the carrier can be reached by that uplink while this stands. */
export function kills(fault: ChaosFault, { node, carrier, family }: Place): boolean {
  switch (fault.kind) {
    case 'uplink-dead':
      return (
        fault.node === node &&
        fault.carrier === carrier &&
        (fault.family === 'both' || fault.family === family)
      );
    case 'carrier-dead':
      return fault.carrier === carrier;
    case 'link-down':
    case 'interface-deleted':
      return fault.node === node && fault.carrier === carrier;
    default:
      return false;
  }
}

/** The session falls with it, by no act of ours. */
export function fellsSession(fault: ChaosFault, { node, carrier }: Place): boolean {
  switch (fault.kind) {
    case 'link-down':
    case 'interface-deleted':
      return fault.node === node && fault.carrier === carrier;
    case 'bird':
      return fault.node === node && fault.what !== 'configured';
    default:
      return false;
  }
}

/** The uplink is surely dead. */
export function trulyDead(story: Story, place: Place): readonly Span[] {
  return when(story, 'sure', (fault) => kills(fault, place));
}

/** Somebody or something of the lab stands in the way of an announcement there, or did until a moment ago. */
export function hindered(story: Story, place: Place): readonly Span[] {
  const harms = (fault: ChaosFault): boolean =>
    kills(fault, place) || fellsSession(fault, place) || affects(fault, place);
  return widened(when(story, 'maybe', harms), 0, story.bounds.returnMillis);
}

/** A fault that may move the announcement of a place by what the node measures or is told. */
function affects(fault: ChaosFault, { node, carrier }: Place): boolean {
  switch (fault.kind) {
    case 'loss':
    case 'bursts':
    case 'delay':
    case 'region-dead':
    case 'hand':
      return fault.node === node && fault.carrier === carrier;
    case 'operator':
      return fault.node === node && (fault.word === 'freeze' || fault.carrier === carrier);
    case 'service':
    case 'daemon':
    case 'prober':
    case 'conntrack-full':
      return fault.node === node;
    default:
      return false;
  }
}

/** The node's program could not see or do anything, by what the lab did to it. */
export function cannotAct(story: Story, node: FleetNodeName): readonly Span[] {
  return when(story, 'maybe', (fault) => {
    if (fault.kind === 'daemon' || fault.kind === 'prober') return fault.node === node;
    if (fault.kind === 'bird') return fault.node === node && fault.what !== 'configured';
    return fault.kind === 'conntrack-full' && fault.node === node;
  });
}

/** An operator keeps the announcement where it is. */
export function keptByPeople(story: Story, { node, carrier }: Place): readonly Span[] {
  return when(
    story,
    'maybe',
    (fault) =>
      fault.kind === 'operator' &&
      fault.node === node &&
      (fault.word === 'freeze' || (fault.word === 'announce' && fault.carrier === carrier)),
  );
}

/** A guard holds it, and the node's history says so. */
export function heldByGuard(story: Story, place: Place): readonly Span[] {
  const spans: Span[] = [];
  let since: number | null = null;
  for (const { at, node, about } of story.of('record')) {
    if (node !== place.node || about.kind !== 'decision') continue;
    if (about.carrier !== place.carrier || about.family !== place.family) continue;
    const holds = about.guard !== null && keeps.has(about.guard);
    if (holds && since === null) since = at;
    if (holds || since === null) continue;
    spans.push({ from: since, to: at });
    since = null;
  }
  if (since !== null) spans.push({ from: since, to: story.end });
  return union(spans);
}

/** Guards that hold a withdrawal; the others hold returns and drains, and excuse nothing here. */
const keeps: ReadonlySet<string> = new Set([
  'all-bad',
  'last-resort',
  'no-consent',
  'rate',
  'capacity',
  'samples',
  'frozen',
]);
