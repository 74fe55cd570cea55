/**
 * An entry of the history: what happened, when, by whom and why. The same on disk, in `GET /v1/history` and as an event
 * of `GET /v1/events`. Version 1; kinds may be added, and a reader leaves out what it does not know.
 */
import { z } from 'zod';
import { wallTime } from './common.ts';
import { announceState, egressState, family, guard, healthState, seenState } from './enums.ts';

const stamp = {
  /** Grows from entry to entry, over restarts too; gaps mean nothing. */
  id: z.int().min(0),
  at: wallTime,
  /** CLOCK_MONOTONIC in ms; comparable within one boot. */
  monotonicMillis: z.number(),
  bootId: z.string(),
  /** `causeway`, `birdc`, `maintenance` or an operator. */
  author: z.string(),
  /** The machine-readable word. */
  reason: z.string(),
  /** One sentence. */
  text: z.string(),
};

/** The figures that a decision rested on. */
export const historyEvidence = z.object({
  health: healthState,
  loss: z.number().min(0).max(1).nullable(),
  rttP95Millis: z.number().min(0).nullable(),
  answered: z.int().min(0),
  lost: z.int().min(0),
  notRun: z.int().min(0),
  targets: z.int().min(0),
  badTargets: z.int().min(0),
});
export type HistoryEvidence = z.infer<typeof historyEvidence>;

const place = { uplink: z.string(), family };
const announcement = { ...place, service: z.string() };

export const historyEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('daemon'), ...stamp, event: z.enum(['started', 'stopped']) }),
  /** A verdict that changed; subject: `uplink`, `gateway`, `region ID`. */
  z.object({
    kind: z.literal('verdict'),
    ...stamp,
    ...place,
    subject: z.string(),
    from: healthState,
    to: healthState,
    evidence: historyEvidence.nullable(),
  }),
  /** The wish about an announcement changed, or the guard that holds it. */
  z.object({
    kind: z.literal('decision'),
    ...stamp,
    ...announcement,
    from: announceState,
    to: announceState,
    guard: guard.nullable(),
    /** When the guard ends by itself; null: an event ends it, or nothing is held. */
    until: wallTime.nullable(),
    evidence: historyEvidence.nullable(),
    /** The one command that overrules it; null: it is an operator's word already. */
    undo: z.string().nullable(),
  }),
  z.object({ kind: z.literal('egress'), ...stamp, ...place, from: egressState, to: egressState }),
  /** A command to BIRD, and its answer. */
  z.object({
    kind: z.literal('command'),
    ...stamp,
    command: z.string(),
    protocol: z.string(),
    effect: z.string(),
  }),
  /** What BIRD then showed; agrees: it is what is wished. */
  z.object({
    kind: z.literal('read-back'),
    ...stamp,
    ...announcement,
    from: seenState,
    to: seenState,
    agrees: z.boolean(),
  }),
  /** Somebody's `birdc disable` or `enable`; subject as in the overrides. */
  z.object({
    kind: z.literal('hand'),
    ...stamp,
    event: z.enum(['adopted', 'ended']),
    protocol: z.string(),
    subject: z.string(),
    state: announceState,
  }),
  z.object({
    kind: z.literal('override'),
    ...stamp,
    event: z.enum(['set', 'released', 'expired']),
    subject: z.string(),
    state: announceState,
    expires: wallTime.nullable(),
  }),
  z.object({ kind: z.literal('freeze'), ...stamp, event: z.enum(['frozen', 'thawed']) }),
  z.object({
    kind: z.literal('maintenance'),
    ...stamp,
    event: z.enum(['begins', 'ends']),
    subject: z.string(),
    state: announceState,
    expires: wallTime.nullable(),
  }),
  z.object({ kind: z.literal('readiness'), ...stamp, service: z.string(), from: z.string(), to: z.string() }),
  /** A step of an apply of a new base configuration, or a reload. */
  z.object({ kind: z.literal('apply'), ...stamp, step: z.string(), effect: z.string() }),
  /** The owned file: it lags behind the wish, or holds it again, or somebody else changed it. */
  z.object({ kind: z.literal('file'), ...stamp, effect: z.string() }),
  /** GeoDNS or a webhook was told of an uplink or an alarm. */
  z.object({
    kind: z.literal('told'),
    ...stamp,
    /** `geodns`, or the webhook's name. */
    receiver: z.string(),
    subject: z.string(),
    effect: z.enum(['acknowledged', 'refused']),
  }),
  z.object({ kind: z.literal('alarm'), ...stamp, event: z.enum(['raised', 'ended']) }),
  /** Entries that could not be kept, because the disk was slow, full or read-only. */
  z.object({ kind: z.literal('dropped'), ...stamp, count: z.int().min(1) }),
]);
export type HistoryEntry = z.infer<typeof historyEntry>;
export type HistoryKind = HistoryEntry['kind'];

/** `GET /v1/history`: oldest first. */
export const historyAnswer = z.object({
  schema: z.literal(1),
  entries: z.array(z.unknown()).readonly(),
});
