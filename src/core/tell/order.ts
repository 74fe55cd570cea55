/**
 * The order of what one sender tells (DESIGN §9): `epoch` is made at each start and lies above the clock's milliseconds,
 * the last one on disk and any that a receiver reports; `seq` counts within it.
 */
import type { Order } from '../../types/wire/common.ts';

/** Above this nothing can be put: numbers of JSON are exact up to 2^53 − 1. */
const highest = Number.MAX_SAFE_INTEGER;

/** The order of a start; `onDisk` null: nothing was told before. */
export function startOrder(wallMillis: number, onDisk: Order | null): Order {
  return { epoch: Math.min(highest, Math.max(Math.floor(wallMillis), onDisk?.epoch ?? 0) + 1), seq: 0 };
}

export function nextOrder({ epoch, seq }: Order): Order {
  return { epoch, seq: seq + 1 };
}

/**
 * What lies above both; `own` where it does already. null: a receiver reports one that nothing can be put above. A higher
 * seq of our own epoch is of somebody else who has the same, so a new one is begun.
 */
export function raised(own: Order, reported: Order): Order | null {
  if (reported.epoch < own.epoch || (reported.epoch === own.epoch && reported.seq <= own.seq)) return own;
  return reported.epoch >= highest ? null : { epoch: reported.epoch + 1, seq: 0 };
}
