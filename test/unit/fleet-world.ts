/** Presences and beats of small fleets, for tests of the core. */
import type { Beat, FleetRules } from '../../src/core/fleet/memory.ts';
import type { Family } from '../../src/types/units.ts';
import type { HealthState } from '../../src/types/wire/enums.ts';
import type { Presence } from '../../src/types/wire/node-to-fleet.ts';

export const fleetRules: FleetRules = {
  node: 'hk1',
  site: 'hkg',
  keepNodes: 1,
  perSite: false,
  expireMillis: 5000,
  lifeMillis: 10_000,
  leavers: 1,
  windowMillis: 60_000,
};

export function beatOf(node: string, seq: number, more: Partial<Beat> = {}): Beat {
  return { node, epoch: 100, seq, content: 1, ageMillis: 0, ...more };
}

type AnnouncementWord = Presence['announcements'][number];

export function announcementOf(more: Partial<AnnouncementWord> = {}): AnnouncementWord {
  return {
    service: 'web',
    uplink: 'cmi',
    carrier: 'cmi',
    family: 4,
    wish: 'announce',
    seen: 'exported',
    ready: true,
    health: 'healthy',
    held: null,
    reason: 'healthy',
    ...more,
  };
}

export function targetOf(
  address: string,
  health: HealthState,
  uplink = 'cmi',
  family: Family = 4,
): Presence['targets'][number] {
  return { address, uplink, carrier: uplink, family, health };
}

export function presenceOf(node: string, more: Partial<Presence> = {}): Presence {
  return {
    schema: 1,
    node,
    site: 'hkg',
    epoch: 100,
    seq: 1,
    content: 1,
    ageMillis: 0,
    mode: 'live',
    frozen: false,
    announcements: [announcementOf()],
    targets: [],
    ...more,
  };
}
