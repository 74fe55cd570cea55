/**
 * Whether other nodes confirm that what fails here is this node's own fault. It is asked of the targets that have failed
 * on the failed uplinks of a service, where another node measures the same ones.
 *
 *   own       half of them or more are seen well elsewhere
 *   shared    none is, and one at least has failed elsewhere too
 *   unclear   neither, or nobody else measures them
 */
import type { Family } from '../../types/units.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';
import { sightKey, targetSights } from './correlation.ts';

export type Evidence = 'own' | 'shared' | 'unclear';

/** `others`: of the nodes that are heard. */
export function evidenceOf(
  self: Presence,
  others: readonly Presence[],
  service: string,
  family: Family,
): Evidence {
  const failedUplinks = new Set(
    self.announcements
      .filter((one) => one.service === service && one.family === family && one.health === 'failed')
      .map(({ uplink }) => uplink),
  );
  const failed = self.targets.filter(
    (target) => target.family === family && target.health === 'failed' && failedUplinks.has(target.uplink),
  );
  if (failed.length === 0) return 'unclear';
  const sights = targetSights(others, new Set(failed.map(({ address }) => sightKey(address, family))));
  const known = [...sights.values()].filter(({ failedOn, wellOn }) => failedOn.length + wellOn.length > 0);
  const well = known.filter(({ wellOn }) => wellOn.length > 0).length;
  if (well > 0) return well * 2 >= known.length ? 'own' : 'unclear';
  return known.length > 0 ? 'shared' : 'unclear';
}
