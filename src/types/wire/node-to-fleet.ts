/** node -> Redis: key `causeway:node:<name>` with expiry, and channel `causeway:events`. */
import { z } from 'zod';
import { epoch, schemaVersion, seq, wireName } from './common.ts';
import { nodeView } from './node-to-edge.ts';
import { announceState, family, guard, healthState, seenState } from './enums.ts';

const announcement = z.object({
  service: wireName,
  uplink: wireName,
  carrier: wireName,
  family,
  wish: announceState,
  seen: seenState,
  ready: z.boolean(),
  health: healthState,
  held: guard.nullable(),
  reason: z.string().max(500),
});

const targetView = z.object({
  address: z.string(),
  uplink: wireName,
  carrier: wireName,
  family,
  health: healthState,
});

/** A region that fails on an uplink which is otherwise fine. */
const regionView = z.object({ region: z.string().max(64), uplink: wireName, carrier: wireName, family });

/** How this node's last `causeway apply` fares; the other nodes wait for it with theirs. */
const baseWord = z.object({
  state: z.enum(['steady', 'asking', 'applying', 'soaking', 'regressed']),
  /** Of `regressed`: what it announced before its apply and lacks now, such as `cmi_web4`. */
  lost: z.array(z.string().max(200)).readonly(),
});
export type BaseWord = Readonly<z.infer<typeof baseWord>>;

export const presence = z.object({
  schema: schemaVersion,
  node: wireName,
  site: wireName,
  epoch,
  seq,
  /** The seq at which anything but seq and age last changed. */
  content: seq.optional(),
  /** How old the content is by the sender's own monotonic clock. */
  ageMillis: z.number().min(0),
  mode: z.enum(['observe', 'live']),
  frozen: z.boolean(),
  announcements: z.array(announcement),
  targets: z.array(targetView),
  failedRegions: z.array(regionView).exactOptional(),
  base: baseWord.exactOptional(),
  /** What the edges of other nodes are to know of it; absent: it has no edge. */
  edge: nodeView.exactOptional(),
});
export type Presence = z.infer<typeof presence>;
