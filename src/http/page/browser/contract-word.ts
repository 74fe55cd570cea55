/** Words of the contract that stand in a status or a history; on the page in their own form, or translated. */
import type { NotRunReason } from '../../../types/outcome.ts';
import type {
  AnnounceState,
  EgressState,
  ExportedState,
  Guard,
  HealthReason,
  HealthState,
  SeenState,
  WishReason,
} from '../../../types/wire/enums.ts';
import type { FleetState } from '../../../types/wire/fleet-status.ts';
import type { BaseWord } from '../../../types/wire/node-to-fleet.ts';

export type ContractWord =
  | AnnounceState
  | EgressState
  | ExportedState
  | Guard
  | HealthReason
  | HealthState
  | NotRunReason
  | SeenState
  | WishReason
  | BaseWord['state']
  | FleetState
  | 'up'
  | 'down'
  | 'missing'
  | 'ready'
  | 'not-ready'
  | 'no-check';
