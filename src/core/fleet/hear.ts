/**
 * How other nodes become known and unknown. A node is heard while its seq goes on, by this node's own clock; one that is
 * silent, paused, cut off, or that repeats itself is unknown. What lies in Redis when this node first looks says nothing:
 * it must be seen to go on.
 *
 *   first seen ──seq goes on──▶ heard ──no advance, or content too old, for `expire`──▶ unknown ──seq goes on──▶ heard
 */
import { elapsed, type Instant } from '../../types/units.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';
import type { Beat, FleetMemory, FleetRules, Heard } from './memory.ts';

/** More nodes than this are not a fleet of this program; the rest is left out. */
const mostNodes = 1000;
/** A node that has been silent for this long was taken away. */
const forgetMillis = 86_400_000;

export type NodeState =
  | { readonly kind: 'heard'; readonly presence: Presence }
  /** It neither announces nor lets anybody leave. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Takes what all nodes said last. Own words are left out. */
export function hearBeats(
  nodes: FleetMemory['nodes'],
  beats: readonly Beat[],
  rules: Pick<FleetRules, 'node' | 'expireMillis'>,
  now: Instant,
): FleetMemory['nodes'] {
  const heard = new Map<string, Heard>();
  const names = new Set(beats.map(({ node }) => node));
  const gone = new Set(goneNodes(nodes, now));
  for (const [name, one] of nodes) if (names.has(name) || !gone.has(name)) heard.set(name, one);
  for (const beat of beats) {
    if (beat.node === rules.node) continue;
    const before = heard.get(beat.node);
    if (before !== undefined) heard.set(beat.node, heardAgain(before, beat, rules.expireMillis, now));
    else if (heard.size < mostNodes) heard.set(beat.node, firstHeard(beat, now));
  }
  return heard;
}

function firstHeard(beat: Beat, now: Instant): Heard {
  return { beat, advancedAt: null, since: now, presence: null };
}

function heardAgain(before: Heard, beat: Beat, expireMillis: number, now: Instant): Heard {
  const known = before.beat;
  if (beat.epoch < known.epoch) {
    // An older word came back, or the node lost its disk and its clock: it must be silent first, then seen to go on.
    const isGone = elapsed(before.advancedAt ?? before.since, now) >= expireMillis;
    return isGone ? firstHeard(beat, now) : before;
  }
  if (beat.epoch === known.epoch && beat.seq <= known.seq) return before;
  const wasHeard = before.advancedAt !== null && elapsed(before.advancedAt, now) < expireMillis;
  const presence = beat.epoch === known.epoch ? before.presence : null;
  return { beat, advancedAt: now, since: wasHeard ? before.since : now, presence };
}

/** Nodes whose presence is another one than the one that was read, or was not read at all. */
export function unread(nodes: FleetMemory['nodes']): readonly string[] {
  return [...nodes].filter(([, one]) => !isCurrent(one)).map(([name]) => name);
}

function isCurrent({ beat, presence }: Heard): boolean {
  return presence !== null && presence.epoch === beat.epoch && (presence.content ?? 0) >= beat.content;
}

/** Takes the presence of a node; an older one than what is known is left out. */
export function hearPresence(nodes: FleetMemory['nodes'], presence: Presence): FleetMemory['nodes'] {
  const before = nodes.get(presence.node);
  if (before === undefined || presence.epoch < before.beat.epoch) return nodes;
  const known = before.presence;
  const isOlder =
    known !== null &&
    (presence.epoch < known.epoch ||
      (presence.epoch === known.epoch && (presence.content ?? 0) < (known.content ?? 0)));
  if (isOlder) return nodes;
  return new Map(nodes).set(presence.node, { ...before, presence });
}

/**
 * Whether a node was seen once and not heard yet, which its next word decides. What has lain in Redis since long ago does
 * not go on within `expire`, and is not waited for.
 */
export function isMeeting(nodes: FleetMemory['nodes'], expireMillis: number, now: Instant): boolean {
  return [...nodes.values()].some(
    ({ advancedAt, since }) => advancedAt === null && elapsed(since, now) < expireMillis,
  );
}

/** Nodes that have been silent for so long that they were taken away. */
export function goneNodes(nodes: FleetMemory['nodes'], now: Instant): readonly string[] {
  return [...nodes]
    .filter(([, one]) => elapsed(one.advancedAt ?? one.since, now) >= forgetMillis)
    .map(([name]) => name);
}

/** What is known of a node now. */
export function stateOf(one: Heard, expireMillis: number, now: Instant): NodeState {
  if (one.advancedAt === null) return { kind: 'unknown', why: 'seen once, not heard yet' };
  const silentMillis = elapsed(one.advancedAt, now);
  if (silentMillis >= expireMillis)
    return { kind: 'unknown', why: `silent for ${Math.round(silentMillis / 1000)} s` };
  if (!isCurrent(one) || one.presence === null) return { kind: 'unknown', why: 'not read yet' };
  const ageMillis = one.beat.ageMillis + silentMillis;
  if (ageMillis >= expireMillis)
    return { kind: 'unknown', why: `it repeats what is ${Math.round(ageMillis / 1000)} s old` };
  return { kind: 'heard', presence: one.presence };
}

/** The presences of all other nodes that are heard. */
export function heardPresences(
  nodes: FleetMemory['nodes'],
  expireMillis: number,
  now: Instant,
): readonly Presence[] {
  return [...nodes.values()].flatMap((one) => {
    const state = stateOf(one, expireMillis, now);
    return state.kind === 'heard' ? [state.presence] : [];
  });
}
