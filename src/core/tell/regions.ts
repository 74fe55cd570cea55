/**
 * Regions that fail on an uplink that is otherwise fine move in GeoDNS only, and only where the way of the answers moves
 * too (DESIGN §7.10): a service answers by the uplink that it was asked on, or answers leave by a better uplink anyway.
 */
import type { Service, Uplink } from '../../types/config.ts';
import type { UplinkHealth, Verdict } from '../../types/health.ts';
import type { Family } from '../../types/units.ts';
import type { ToldState } from '../../types/wire/enums.ts';
import type { EgressWish } from '../../types/wish.ts';

export interface Roads {
  readonly services: readonly Service[];
  readonly uplinks: readonly Uplink[];
  readonly egress: readonly EgressWish[];
}

/** Whether users who are sent to another uplink are also answered by another one. */
export function answersMove(roads: Roads, uplink: Uplink, family: Family): boolean {
  const bySource = roads.services.some(
    ({ egress, prefixes, uplinks }) =>
      egress === 'by-source' &&
      uplinks.has(uplink.name) &&
      prefixes.some((prefix) => prefix.family === family),
  );
  return bySource || roads.uplinks.some((other) => isBetter(roads, other, uplink, family));
}

function isBetter({ egress }: Roads, other: Uplink, than: Uplink, family: Family): boolean {
  return (
    other.localPref > than.localPref &&
    egress.some((one) => one.uplink === other.name && one.family === family && one.state === 'use')
  );
}

/** Regions that are not up. `isStill`: no verdict counts now, and the last words are said again. */
export function regionWords(
  health: UplinkHealth | undefined,
  last: Readonly<Record<string, ToldState>>,
  isStill: boolean,
): Readonly<Record<string, ToldState>> {
  // Of a failed uplink all regions go with it.
  if (health === undefined || isStill || health.uplinkVerdict.health === 'failed') return last;
  const told = [...health.regions].map(
    ([region, verdict]) => [region, wordOf(verdict, last[region] ?? 'up')] as const,
  );
  return Object.fromEntries(told.filter(([, word]) => word !== 'up'));
}

function wordOf({ health }: Verdict, last: ToldState): ToldState {
  switch (health) {
    case 'failed':
      return 'down';
    case 'degraded':
      return 'drain';
    case 'healthy':
      return 'up';
    case 'unknown':
      return last;
  }
}
