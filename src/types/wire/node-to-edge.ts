/** node -> edge: the snapshot that the edge gets on its Unix socket and reads at boot; the same bytes both ways. */
import { z } from 'zod';
import { epoch, schemaVersion, seq, wallTime, wireName } from './common.ts';

const familyView = z.object({ up: z.boolean(), regions: z.record(z.string(), z.boolean()).optional() });

const uplinkView = z.object({
  carrier: wireName,
  /** 0 (useless) to 100 (clean). */
  score: z.int().min(0).max(100),
  families: z.object({ '4': familyView.optional(), '6': familyView.optional() }),
});

/** One node as edges see it; nodes tell each other theirs through the fleet. */
export const nodeView = z.object({
  host: z.string().min(1).max(253),
  accepting: z.boolean(),
  weight: z.int().min(0).max(10000),
  uplinks: z.record(wireName, uplinkView),
});
export type EdgeNodeView = z.infer<typeof nodeView>;

const origin = z.object({
  address: z.string(),
  port: z.int().min(1).max(65535),
  weight: z.int().min(0).optional(),
  up: z.boolean(),
  /** Carriers over which it answers; their users are sent there first. */
  carriers: z.array(wireName).optional(),
});

export const edgeSnapshot = z.object({
  schema: schemaVersion,
  epoch,
  seq,
  generatedAt: wallTime,
  /** Older than this, the edge keeps the last state and redirects nobody. */
  ttlMillis: z.int().min(1),
  self: wireName,
  nodesActive: z.int().min(0),
  nodes: z.record(wireName, nodeView),
  origins: z.record(wireName, z.array(origin)).optional(),
  /** Version of networks.yaml. */
  networks: z.string().optional(),
});
export type EdgeSnapshot = z.infer<typeof edgeSnapshot>;
