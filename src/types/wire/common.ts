/** What every wire message has: a version that is refused when unknown, and an order of (epoch, seq). */
import { z } from 'zod';

export const schemaVersion = z.literal(1);
/** Names of nodes, uplinks, carriers and services. */
export const wireName = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/);
/** Made at each start of a sender: greater than any it, its disk or a receiver has seen. Milliseconds of wall time at least. */
export const epoch = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** Counts within an epoch. */
export const seq = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** ISO 8601 in UTC, for people; never compared. */
export const wallTime = z.iso.datetime();

/** Where a message stands among those of one sender. */
export interface Order {
  readonly epoch: number;
  readonly seq: number;
}

/** Negative when `a` is older than `b`. */
export function compareOrder(a: Order, b: Order): number {
  return a.epoch - b.epoch || a.seq - b.seq;
}
