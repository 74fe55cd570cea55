/**
 * The views of one announcement, which never stand for each other: what is wanted (the wish), what BIRD is configured to
 * do, what it exports to the neighbour, and what is seen beyond it.
 */
import type { BirdSeen } from '../types/bird-view.ts';
import type { Service } from '../types/config.ts';
import { announceName, drainName, sessionName } from '../types/protocol-names.ts';
import type { Family } from '../types/units.ts';
import type { AnnounceState, ExportedState } from '../types/wire/enums.ts';
import { isUp } from './plan/plan.ts';

/** What the pair of protocols makes of it; null: BIRD does not have the pair. */
export function configuredState(
  seen: BirdSeen,
  uplink: string,
  service: string,
  family: Family,
): AnnounceState | null {
  const announce = seen.protocols.get(announceName(uplink, service, family));
  const drain = seen.protocols.get(drainName(uplink, service, family));
  if (announce === undefined || drain === undefined) return null;
  if (isUp(drain)) return 'drain';
  return isUp(announce) ? 'announce' : 'withdraw';
}

/**
 * What the neighbour has of it, by the session's own count of exported routes: it is right even where `show route export` is
 * not (BIRD 3 with `secondary`). A count that fits no set of whole services says nothing of any one of them.
 */
export function exportedState(
  seen: BirdSeen,
  services: readonly Service[],
  uplink: string,
  service: string,
  family: Family,
): ExportedState {
  const session = seen.protocols.get(sessionName(uplink, family));
  if (session === undefined) return 'unknown';
  if (session.state !== 'up' || session.info !== 'Established') return 'session-down';
  const count = session.channels.find((channel) => channel.family === family)?.exported ?? null;
  if (count === null) return 'unknown';
  if (count === 0) return 'not-exported';
  const carried = services.filter((one) => {
    const state = configuredState(seen, uplink, one.name, family);
    return state !== null && state !== 'withdraw';
  });
  if (count !== prefixCount(carried, family)) return 'unknown';
  return carried.some(({ name }) => name === service) ? 'exported' : 'not-exported';
}

function prefixCount(services: readonly Service[], family: Family): number {
  return services.flatMap(({ prefixes }) => prefixes.filter((prefix) => prefix.family === family)).length;
}
