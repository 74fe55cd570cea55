/**
 * Which of two orders counts: the one of the higher version, and of equal versions the one whose text sorts last, the
 * same on every node. An order is never missing: what is ended is said to have ended. So a Redis that was wiped, or
 * that went back in time, takes nothing away; the nodes tell it again.
 */

export interface VersionedOrder {
  readonly version: number;
  readonly text: string;
}

export type OrderBook = ReadonlyMap<string, VersionedOrder>;

/** More names than this are not of this program. */
const mostOrders = 500;

export function isYounger(one: VersionedOrder, other: VersionedOrder | undefined): boolean {
  if (other === undefined || one.version !== other.version) return one.version > (other?.version ?? -1);
  return one.text > other.text;
}

/** What this node has to take from Redis, and what Redis has to take from it. */
export function compareBooks(
  known: OrderBook,
  stored: OrderBook,
): { readonly taken: OrderBook; readonly told: OrderBook } {
  const taken = [...stored]
    .filter(([name, order]) => isYounger(order, known.get(name)))
    .filter(([name]) => known.has(name) || known.size < mostOrders)
    .slice(0, mostOrders);
  const told = [...known].filter(([name, order]) => isYounger(order, stored.get(name)));
  return { taken: new Map(taken), told: new Map(told) };
}

/** The version of a new order, above the one that it replaces. */
export function nextVersion(known: OrderBook, name: string): number {
  return (known.get(name)?.version ?? 0) + 1;
}
