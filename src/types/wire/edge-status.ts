/** The edge's part of the status: what this node tells it, and what it knows of the origins. */
import { z } from 'zod';
import { epoch, seq, wallTime } from './common.ts';

export const edgeStatus = z.object({
  /** Terminal host of this node. */
  host: z.string(),
  /** Whether users of other nodes may be sent here; null: no tick has passed. */
  accepting: z.boolean().nullable(),
  /** Nodes that share limits of the fleet. */
  nodesActive: z.int().min(1).nullable(),
  /** The last message; null: none was sent (observe mode sends none). */
  told: z
    .object({
      epoch,
      seq,
      at: wallTime,
      result: z.enum(['taken', 'older', 'refused', 'unreachable']),
      text: z.string(),
    })
    .nullable(),
  origins: z.array(
    z.object({
      pool: z.string(),
      address: z.string(),
      port: z.int(),
      /** As the edge is told; null: no tick has passed. */
      up: z.boolean().nullable(),
      via: z.array(
        z.object({
          uplink: z.string(),
          state: z.enum(['up', 'down', 'unknown']),
          /** What the last handshake found; null: none has run. */
          text: z.string().nullable(),
        }),
      ),
    }),
  ),
});
export type EdgeStatus = z.infer<typeof edgeStatus>;
