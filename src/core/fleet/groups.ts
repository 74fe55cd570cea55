/** The announcements of a service in a family are what a node leaves, as a whole. */
import { groupKey } from '../../types/keys.ts';
import type { Service } from '../../types/config.ts';
import { families, type Family } from '../../types/units.ts';

export interface GroupName {
  readonly service: string;
  readonly family: Family;
}

/** `web4`. */
export function keyOfGroup({ service, family }: GroupName): string {
  return groupKey(service, family);
}

/** Every service with each family that it has prefixes of, in the config's order. */
export function groupsOf(services: readonly Service[]): readonly GroupName[] {
  return services.flatMap(({ name, prefixes }) =>
    families
      .filter((family) => prefixes.some((prefix) => prefix.family === family))
      .map((family) => ({ service: name, family })),
  );
}
