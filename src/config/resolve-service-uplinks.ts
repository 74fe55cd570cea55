/** What is other for a service on single uplinks, from the file's form. */
import type { ServiceUplink } from '../types/config.ts';
import type { ConfigFile } from './schema/root.ts';

/** By uplink, in the file's order. */
export function resolveServiceUplinks(
  uplinks: ConfigFile['services'][string]['uplinks'],
): ReadonlyMap<string, ServiceUplink> {
  return new Map(
    Object.entries(uplinks).map(([name, given]) => [
      name,
      {
        state: given.state,
        med: given.med ?? null,
        prepend: given.prepend ?? null,
        communities: given.communities ?? null,
        drainCommunities: given.drain_communities ?? null,
      },
    ]),
  );
}
