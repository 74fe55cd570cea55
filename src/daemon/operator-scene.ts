/** What commands of operators work on, and what comes of them. */
import type { DecideMemory } from '../core/decide/memory.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override } from '../types/override.ts';
import type { Instant } from '../types/units.ts';
import type { OperatorAnswer } from '../types/wire/operator.ts';
import type { FleetOrders } from './fleet-orders.ts';
import type { FreezeFile } from './freeze-file.ts';
import type { MaintenanceCalendar } from './maintenance.ts';
import type { OperatorState } from './operator-state.ts';
import type { OperatorWords } from './operator-words.ts';
import type { OverrideStore } from './override-store.ts';

/** The parts of the world that they change. */
export interface OperatorWorld {
  overrides: readonly Override[];
  released: ReadonlySet<string>;
  readonly decide: DecideMemory;
  readonly operator: OperatorState;
}

export interface OperatorScene {
  readonly config: () => NodeConfig;
  readonly world: OperatorWorld;
  readonly store: OverrideStore;
  readonly freezeFile: FreezeFile;
  readonly calendar: MaintenanceCalendar;
  readonly words: OperatorWords;
  /** null or absent: no fleet is configured. */
  readonly fleet?: FleetOrders | null;
  readonly now: () => Instant;
  /** ISO 8601. */
  readonly wallTime: () => string;
}

/** Status as in HTTP; the detail says what to do next. */
export type OperatorResult =
  | { readonly kind: 'done'; readonly answer: OperatorAnswer }
  | { readonly kind: 'refused'; readonly status: 400 | 404 | 409 | 503; readonly detail: string };

export function done(answer: OperatorAnswer): OperatorResult {
  return { kind: 'done', answer };
}

export function refused(status: 400 | 404 | 409 | 503, detail: string): OperatorResult {
  return { kind: 'refused', status, detail };
}
