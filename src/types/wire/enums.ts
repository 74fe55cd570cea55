/** The words of states and reasons. They are part of the contract: wire messages, logs, metrics and docs use these. */
import { z } from 'zod';

export const healthState = z.enum(['unknown', 'healthy', 'degraded', 'failed']);
export type HealthState = z.infer<typeof healthState>;

/** Why a verdict is what it is. */
export const healthReason = z.enum([
  'too-few-samples',
  'first-window',
  'not-run',
  'prober-silent',
  'healthy',
  'loss',
  'latency',
  'jitter',
  'mtu',
  'regions',
  'link-down',
  'recovering',
]);
export type HealthReason = z.infer<typeof healthReason>;

export const announceState = z.enum(['announce', 'drain', 'withdraw']);
export type AnnounceState = z.infer<typeof announceState>;

export const egressState = z.enum(['use', 'avoid']);
export type EgressState = z.infer<typeof egressState>;

/** A rule that holds a wish back. */
export const guard = z.enum([
  'all-bad',
  'last-resort',
  'no-consent',
  'rate',
  'flap',
  'hold',
  'canary',
  'capacity',
  'samples',
  'frozen',
  'dns-first',
]);
export type Guard = z.infer<typeof guard>;

/** Why an announcement is wished as it is. */
export const wishReason = z.enum([
  'healthy',
  'loss',
  'latency',
  'jitter',
  'mtu',
  'regions',
  'link-down',
  'unknown-keep',
  'as-found',
  'hold',
  'rate',
  'flap',
  'canary',
  'capacity',
  'all-bad',
  'last-resort',
  'no-consent',
  'override',
  'maintenance',
  'not-ready',
  'booting',
  'backup',
  'frozen',
  'dns-first',
  'stopping',
  'observe',
]);
export type WishReason = z.infer<typeof wishReason>;

/** What BIRD really does with an announcement. */
export const seenState = z.enum(['exported', 'drained', 'absent', 'session-down', 'unknown']);
export type SeenState = z.infer<typeof seenState>;

/** What the neighbour has of an announcement, by the session's own count; apart from what is wished and configured. */
export const exportedState = z.enum(['exported', 'not-exported', 'session-down', 'unknown']);
export type ExportedState = z.infer<typeof exportedState>;

/** What a looking glass or collector behind the neighbour has of it. */
export const beyondState = z.enum(['seen', 'not-seen', 'unknown']);
export type BeyondState = z.infer<typeof beyondState>;

/** The words GeoDNS and the edge hear, for families, regions and services alike. */
export const toldState = z.enum(['up', 'drain', 'down']);
export type ToldState = z.infer<typeof toldState>;

export const family = z.union([z.literal(4), z.literal(6)]);
