/** `GET /v1/status`: the whole of what the daemon knows and does, for the CLI, the operator page and scripts. Version 1. */
import { z } from 'zod';
import { notRunReasons } from '../outcome.ts';
import { schemaVersion, wallTime, wireName } from './common.ts';
import {
  announceState,
  egressState,
  family,
  guard,
  healthReason,
  healthState,
  seenState,
  wishReason,
} from './enums.ts';

const list = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const share = z.number().min(0).max(1).nullable();
const durationMillis = z.number().min(0);
const perFamily = <T extends z.ZodType>(value: T) =>
  z.object({ '4': value.optional(), '6': value.optional() });

const alarm = z.object({ code: z.string(), text: z.string(), since: wallTime });

const prober = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('starting') }),
  z.object({
    kind: z.literal('running'),
    engine: z.string(),
    pid: z.int(),
    /** Longest delay of its own event loop in the last report. */
    lagMillis: durationMillis,
    strays: z.int().min(0),
    rssBytes: z.number().min(0),
  }),
  /** It says that it cannot probe at all. */
  z.object({ kind: z.literal('unable'), code: z.string(), text: z.string() }),
  /** It died or does not speak. */
  z.object({ kind: z.literal('silent'), text: z.string() }),
]);

const bird = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('seen'), version: z.string(), path: z.string() }),
  z.object({ kind: z.literal('unreachable'), path: z.string(), code: z.string(), text: z.string() }),
  /** Not asked yet. */
  z.object({ kind: z.literal('starting'), path: z.string() }),
]);

const verdict = z.object({ health: healthState, reason: healthReason });

/** Figures of the verdict's window; they explain, they never decide. */
const evidence = z.object({
  loss: share,
  rttP50Millis: durationMillis.nullable(),
  rttP95Millis: durationMillis.nullable(),
  answered: z.int().min(0),
  lost: z.int().min(0),
  notRun: z.int().min(0),
  targets: z.int().min(0),
  badTargets: z.int().min(0),
});

const target = z.object({
  name: z.string(),
  address: z.string(),
  region: z.string(),
  health: healthState,
  loss: share,
  rttP50Millis: durationMillis.nullable(),
  rttP95Millis: durationMillis.nullable(),
  /** Why its latest probe did not run; null: it ran. */
  notRun: z.enum(notRunReasons).nullable(),
});

const held = z.object({
  guard,
  text: z.string(),
  /** Until it ends by itself; null: an event ends it. */
  remainingSeconds: z.number().min(0).nullable(),
});

const announcement = z.object({
  service: wireName,
  wish: announceState,
  reason: wishReason,
  text: z.string(),
  author: z.string(),
  held: held.nullable(),
  seen: seenState,
  /** behind: the owned file does not hold the wish yet. */
  file: z.enum(['as-wished', 'behind']),
});

const session = z.object({
  /** As BIRD writes it: Established, Active, …; null: not seen. */
  state: z.string().nullable(),
  /** How long, for people; absent where BIRD does not show it. */
  sinceText: z.string().optional(),
});

const familyStatus = z.object({
  health: healthState,
  reason: healthReason,
  text: z.string(),
  sinceSeconds: z.number().min(0),
  regions: z.record(z.string(), verdict),
  targets: list(target),
  evidence,
  session,
  egress: z.object({ wish: egressState, reason: wishReason, text: z.string() }).optional(),
  announcements: list(announcement),
});

const uplink = z.object({
  uplink: wireName,
  carrier: wireName,
  interface: z.string(),
  link: z.enum(['up', 'down', 'missing', 'unknown']),
  families: perFamily(familyStatus),
});

const overrideSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('announcement'), service: wireName, uplink: wireName, family }),
  z.object({ kind: z.literal('egress'), uplink: wireName, family }),
  z.object({ kind: z.literal('session'), uplink: wireName, family }),
]);

const override = z.object({
  subject: overrideSubject,
  state: announceState,
  author: z.string(),
  reason: z.string(),
  at: wallTime,
  expires: wallTime.nullable(),
});

/** A state that changed: of an uplink's, region's or target's health, or of a wish. */
const transition = z.object({
  at: wallTime,
  uplink: wireName,
  family,
  /** `uplink`, `region ID`, `target jkt-1`, `service web`, `session`, `link`. */
  subject: z.string(),
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  text: z.string(),
});

/** A command that was sent to BIRD, or a file that was written, and what came of it. */
const action = z.object({
  at: wallTime,
  /** disable, enable, write, configure … */
  command: z.string(),
  /** Null where it is not about one protocol. */
  protocol: z.string().nullable(),
  reason: z.string(),
  effect: z.string(),
});

export const statusDocument = z.object({
  schema: schemaVersion,
  node: wireName,
  mode: z.enum(['observe', 'live']),
  startedAt: wallTime,
  /** How long ago the last tick ended, by the monotonic clock. */
  tickAgeMillis: durationMillis,
  alarms: list(alarm),
  prober,
  bird,
  uplinks: list(uplink),
  overrides: list(override),
  /** The last 50, newest first. */
  transitions: list(transition),
  /** The last 50, newest first. */
  actions: list(action),
});
export type StatusDocument = z.infer<typeof statusDocument>;
export type UplinkStatus = z.infer<typeof uplink>;
export type FamilyStatus = z.infer<typeof familyStatus>;
export type AnnouncementStatus = z.infer<typeof announcement>;
export type TargetStatus = z.infer<typeof target>;
export type OverrideStatus = z.infer<typeof override>;
export type TransitionStatus = z.infer<typeof transition>;
export type ActionStatus = z.infer<typeof action>;
