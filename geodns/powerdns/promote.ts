/**
 * Makes another site the primary, for when the primary's site is lost, or to move it. The service must not run meanwhile;
 * afterwards the promoted site stands first in the configuration, and the service starts above the highest serial of all
 * sites. Safe to repeat: a site that was away is brought in line by the next run.
 */
import { messageOf } from '../../src/types/message-of.ts';
import { makePrimary, makeSecondary, zoneOf } from './client.ts';
import type { Site } from './site.ts';

export interface Promotion {
  readonly primary: string;
  /** Sites that now fetch from it. */
  readonly secondaries: readonly string[];
  /** Sites that could not be told, each with the reason; one of them may still hold itself for the primary. */
  readonly untold: readonly { readonly name: string; readonly reason: string }[];
}

/** Rejects with a PowerDnsError, and changes nothing, when the new primary does not hold the zone or does not answer. */
export async function promote(sites: readonly Site[], zone: string, primary: Site): Promise<Promotion> {
  await zoneOf(primary.api, zone);
  await makePrimary(primary.api, zone);
  const master = `${primary.dns.host}:${primary.dns.port}`;
  const secondaries: string[] = [];
  const untold: { name: string; reason: string }[] = [];
  for (const site of sites) {
    if (site.name === primary.name) continue;
    try {
      await makeSecondary(site.api, zone, master);
      secondaries.push(site.name);
    } catch (error) {
      untold.push({ name: site.name, reason: messageOf(error) });
    }
  }
  return { primary: primary.name, secondaries, untold };
}
