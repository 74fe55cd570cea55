/** What of the fleet a person should look at. */
import type { Alarm } from './alarms.ts';

export interface FleetTrouble {
  readonly redis: string;
  /** Why Redis does not answer; null: it does. */
  readonly silent: string | null;
  /** The name of this node, where another daemon speaks under it; null: none does. */
  readonly namesake: string | null;
  /** Orders for the whole fleet that were not carried out here. */
  readonly refusals: readonly string[];
}

export function fleetAlarms({ redis, silent, namesake, refusals }: FleetTrouble): readonly Alarm[] {
  const alarms: Alarm[] = refusals.map((text) => ({ code: 'fleet-order-refused', text }));
  if (silent !== null) {
    const text = `Redis at ${redis}: ${silent}; nothing changes because of it, but nobody can consent`;
    alarms.push({ code: 'fleet-silent', text });
  }
  if (namesake !== null) {
    const text = `another daemon speaks to the fleet as ${namesake}: node.name must be unique`;
    alarms.push({ code: 'fleet-name-taken', text });
  }
  return alarms;
}
