/** What a node of the fleet says of itself, as large as it is in life. */
import { families } from '../../src/types/units.ts';
import type { Presence } from '../../src/types/wire/node-to-fleet.ts';
import type { FleetShape } from './sum.ts';

/** All is well there; nothing of it is believed by anybody here. */
export function presenceText(node: string, { uplinks, targets }: FleetShape): string {
  const places = Array.from({ length: uplinks }, (_, index) => `uplink${index}`).flatMap((uplink) =>
    families.map((family) => ({ uplink, carrier: uplink, family })),
  );
  const said: Presence = {
    schema: 1,
    node,
    site: 'hkg',
    epoch: 1_796_000_000_000,
    seq: 1000,
    content: 1000,
    ageMillis: 100,
    mode: 'live',
    frozen: false,
    announcements: places.map((place) => ({
      service: 'web',
      ...place,
      wish: 'announce',
      seen: 'exported',
      ready: true,
      health: 'healthy',
      held: null,
      reason: 'healthy',
    })),
    targets: places.flatMap((place) =>
      Array.from({ length: targets }, (_, index) => ({
        address: place.family === 4 ? `198.51.100.${index + 1}` : `2001:db8:62:${index + 1}::10`,
        ...place,
        health: 'healthy' as const,
      })),
    ),
  };
  return JSON.stringify(said);
}
