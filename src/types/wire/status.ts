/** `GET /v1/status`: the whole of what the daemon knows and does, for the CLI, the operator page and scripts. Version 1. */
import { z } from 'zod';
import { schemaVersion, wallTime, wireName } from './common.ts';
import {
  announceState,
  beyondState,
  egressState,
  exportedState,
  family,
  guard,
  healthReason,
  healthState,
  seenState,
  toldState,
  wishReason,
} from './enums.ts';
import { edgeStatus } from './edge-status.ts';
import { fleetStatus } from './fleet-status.ts';
import { bird, evidence, prober, rollingFigures, target } from './measured.ts';

const list = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const durationMillis = z.number().min(0);
const perFamily = <T extends z.ZodType>(value: T) =>
  z.object({ '4': value.optional(), '6': value.optional() });

const alarm = z.object({ code: z.string(), text: z.string(), since: wallTime });

const verdict = z.object({ health: healthState, reason: healthReason });

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
  /** What BIRD is configured to do with it: by the pair of protocols; null: BIRD does not have the pair. */
  configured: announceState.nullable().optional(),
  /** What the neighbour has of it, by the session's own count. */
  exported: exportedState.optional(),
  /** What is seen beyond the neighbour; absent: no looking glass is configured. */
  beyond: beyondState.optional(),
  /** Withdrawals, each with its return, before a carrier that damps would suppress it; absent: not counted. */
  changesLeft: z.int().min(0).optional(),
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
  figures: rollingFigures.optional(),
  evidence,
  /** Of the last minute of TCP that is bound to the uplink's source; absent: too little of it. */
  traffic: z.object({ sentBytes: z.number().min(0), retransmittedRatio: z.number().min(0) }).exactOptional(),
  session,
  egress: z.object({ wish: egressState, reason: wishReason, text: z.string() }).optional(),
  announcements: list(announcement),
});

export const uplinkStatus = z.object({
  uplink: wireName,
  carrier: wireName,
  interface: z.string(),
  link: z.enum(['up', 'down', 'missing', 'unknown']),
  families: perFamily(familyStatus),
});

const readyState = z.enum(['ready', 'not-ready', 'unknown']);

const readyCheck = z.object({
  /** http, tcp, dns, systemd, file, file_absent, haproxy, address. */
  kind: z.string(),
  /** For people: `http://127.0.0.1:8080/healthz`. */
  name: z.string(),
  readiness: readyState,
  /** What the last one found, or why it did not run. */
  text: z.string(),
  /** How far it is from another state: `1 of 3 failures`; null: not at all. */
  counted: z.string().nullable(),
});

const service = z.object({
  service: wireName,
  /** no-check: it is always ready. */
  readiness: z.enum([...readyState.options, 'no-check']),
  text: z.string(),
  /** null: it has no check. */
  sinceSeconds: z.number().min(0).nullable(),
  checks: list(readyCheck),
});

const overrideSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('announcement'), service: wireName, uplink: wireName, family }),
  z.object({ kind: z.literal('egress'), uplink: wireName, family }),
  z.object({ kind: z.literal('session'), uplink: wireName, family }),
  /** An operator's: null stands for all of them. */
  z.object({
    kind: z.literal('selection'),
    service: wireName.nullable(),
    uplink: wireName.nullable(),
    family: family.nullable(),
  }),
]);

export const overrideStatus = z.object({
  subject: overrideSubject,
  state: announceState,
  author: z.string(),
  reason: z.string(),
  at: wallTime,
  expires: wallTime.nullable(),
  /** Said to every node of the fleet. */
  scope: z.literal('fleet').exactOptional(),
});

const overrideShown = overrideStatus.extend({
  /** Until it expires; null: it does not. 0: it waits for the thaw. */
  remainingSeconds: z.number().min(0).nullable().optional(),
});

/** No verdict changes the wish. */
export const freezeWord = z.object({
  author: z.string(),
  reason: z.string(),
  at: wallTime,
  /** Said to every node of the fleet. */
  scope: z.literal('fleet').exactOptional(),
});

/** What the guards of this node allow; what they hold stands with each announcement. */
const guardStatus = z.object({
  keepUplinks: z.int().min(0),
  keepNodes: z.int().min(0),
  togetherSeconds: z.number().min(0),
  maxWithdrawals: z.object({
    used: z.int().min(0),
    count: z.int().min(0),
    windowSeconds: z.number().min(0),
    /** null: it has room now. */
    roomInSeconds: z.number().min(0).nullable(),
  }),
  flapBudget: z.string(),
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

/** How often a policy that decides beside the live one wished another state. */
const shadow = z.object({
  ticks: z.int().min(0),
  disagreeingTicks: z.int().min(0),
  /** How often an announcement began to be wished otherwise. */
  disagreements: z.int().min(0),
  /** Announcements (`cmi_web4`) that are now. */
  disagreeing: list(z.string()),
  last: z
    .object({
      at: wallTime,
      announcement: z.string(),
      live: announceState,
      shadow: announceState,
      reason: wishReason,
    })
    .nullable(),
});

const toldFamily = z.object({
  state: toldState,
  regions: z.record(z.string(), toldState),
  services: z.record(z.string(), toldState),
});

/** What GeoDNS is told, and how far it came. */
const geodns = z.object({
  /** Of the endpoint in use. */
  url: z.string(),
  epoch: z.int().min(0),
  seq: z.int().min(0),
  /** How long ago it acknowledged anything; null: not since the start. */
  acknowledgedSeconds: z.number().min(0).nullable(),
  /** Of the last request; null: it went well. */
  trouble: z.string().nullable(),
  uplinks: list(
    z.object({
      uplink: wireName,
      families: perFamily(toldFamily),
      held: guard.nullable(),
      reason: z.string(),
      /** How long it has waited to be acknowledged; null: it is. */
      waitingSeconds: z.number().min(0).nullable(),
      trouble: z.string().nullable(),
    }),
  ),
});

const webhook = z.object({
  name: z.string(),
  waiting: z.int().min(0),
  /** What its receiver will not have; until there is other news of the same. */
  refused: z.int().min(0),
  /** The oldest of both. */
  waitingSeconds: z.number().min(0).nullable(),
  trouble: z.string().nullable(),
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
  uplinks: list(uplinkStatus),
  /** Readiness of each service; absent from older daemons. */
  services: list(service).optional(),
  /** Of operators, of hands (author `birdc`) and of windows that are open (author `maintenance`). */
  overrides: list(overrideShown),
  /** null: not frozen; absent from older daemons. */
  freeze: freezeWord.nullable().optional(),
  /** Absent from older daemons. */
  guards: guardStatus.optional(),
  /** The last 50, newest first. */
  transitions: list(transition),
  /** The last 50, newest first. */
  actions: list(action),
  /** Absent: the config has no edge. */
  edge: edgeStatus.optional(),
  /** Absent: the config has no fleet. */
  fleet: fleetStatus.optional(),
  /** Absent: the config has no shadow. */
  shadow: shadow.optional(),
  /** Absent: no GeoDNS is configured, or nothing is told in mode observe. */
  geodns: geodns.optional(),
  /** Absent as above. */
  webhooks: list(webhook).optional(),
});
export type StatusDocument = z.infer<typeof statusDocument>;
export type GuardStatus = z.infer<typeof guardStatus>;
export type UplinkStatus = z.infer<typeof uplinkStatus>;
export type ServiceStatus = z.infer<typeof service>;
export type FamilyStatus = z.infer<typeof familyStatus>;
export type AnnouncementStatus = z.infer<typeof announcement>;
export type TargetStatus = z.infer<typeof target>;
export type OverrideStatus = z.infer<typeof overrideShown>;
export type TransitionStatus = z.infer<typeof transition>;
export type ShadowStatus = z.infer<typeof shadow>;
export type ActionStatus = z.infer<typeof action>;
