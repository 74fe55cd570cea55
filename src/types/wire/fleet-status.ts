/** The fleet as one node sees it, in its status document and in `causeway fleet --json`. */
import { z } from 'zod';
import { wireName } from './common.ts';
import { announceState, family, healthState } from './enums.ts';

/** Only `announces` counts as an announcer. */
export const fleetState = z.enum([
  'announces',
  'failed',
  'not-ready',
  'leaving',
  'drained',
  'absent',
  'session-down',
  'unknown',
]);
export type FleetState = z.infer<typeof fleetState>;

const announcement = z.object({
  service: wireName,
  family,
  uplink: wireName,
  carrier: wireName,
  state: fleetState,
  wish: announceState,
  health: healthState,
});

const node = z.object({
  node: wireName,
  /** Empty: not read yet. */
  site: z.string(),
  /** Whether it is the node that answers. */
  self: z.boolean(),
  state: z.enum(['heard', 'unknown']),
  /** Why it is unknown; null: it is heard. */
  why: z.string().nullable(),
  /** Since it last spoke, by the clock of the node that answers; null: it was never heard. */
  silentMillis: z.number().min(0).nullable(),
  mode: z.enum(['observe', 'live']).nullable(),
  frozen: z.boolean(),
  /** How its last apply fares; absent: it does not say. */
  base: z.enum(['steady', 'asking', 'applying', 'soaking', 'regressed']).exactOptional(),
  /** Of a node that is unknown: none. */
  announcements: z.array(announcement).readonly(),
});

const group = z.object({
  service: wireName,
  family,
  consent: z.enum(['given', 'refused', 'silent']),
  /** Other nodes that announce it; null: not known now. */
  announcingNodes: z.int().min(0).nullable(),
  text: z.string(),
});

const finding = z.object({
  kind: z.enum(['target', 'region', 'carrier', 'everybody']),
  family,
  nodes: z.array(wireName).readonly(),
  text: z.string(),
});

export const fleetStatus = z.object({
  /** `10.0.0.5:6379`, or `causeway by 10.0.0.5:26379, …` with Sentinels. */
  redis: z.string(),
  link: z.enum(['reading', 'settling', 'silent']),
  text: z.string(),
  /** Until consent may be asked after a change of the master; 0: now; null: Redis is silent. */
  consentInSeconds: z.number().min(0).nullable(),
  /** This node first, then by name. */
  nodes: z.array(node).readonly(),
  groups: z.array(group).readonly(),
  findings: z.array(finding).readonly(),
});
export type FleetStatus = z.infer<typeof fleetStatus>;
