/** What the daemon has of its fleet, and a node that has none. */
import type { FleetWord } from '../types/fleet-word.ts';
import type { FleetStatus } from '../types/wire/fleet-status.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';
import type { Alarm } from './alarms.ts';
import type { OrderExchange } from './fleet-orders.ts';
import type { TickReport } from './tick.ts';

export interface Fleet {
  /** By groupKey, as decide takes it; null: no fleet is configured. */
  words(): ReadonlyMap<string, FleetWord> | null;
  /** After each tick; returns at once. */
  after(report: TickReport): void;
  /** Presences of the other nodes that are heard; null: the fleet cannot be read now. */
  others(): readonly Presence[] | null;
  /** null: no fleet is configured. */
  status(): FleetStatus | null;
  alarms(): readonly Alarm[];
  /**
   * Before an apply: resolves with why this node must not now, null: it may, and is said to, until `endApply`.
   * `isAsked` false: whatever the other nodes do.
   */
  beginApply(isAsked: boolean): Promise<string | null>;
  endApply(isApplied: boolean): Promise<void>;
  /** Operators' words for every node; null: no fleet is configured. */
  readonly orders: OrderExchange | null;
  close(): Promise<void>;
}

/** A node that stands alone. */
export const alone: Fleet = {
  words: () => null,
  after: () => undefined,
  others: () => null,
  status: () => null,
  alarms: () => [],
  beginApply: () => Promise.resolve(null),
  endApply: () => Promise.resolve(),
  orders: null,
  close: () => Promise.resolve(),
};
