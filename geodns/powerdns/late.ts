/** Why a secondary does not follow although it was told to: PowerDNS says so in its own log alone. */
import type { RenderedZone } from '../render/zone.ts';
import { zoneOf } from './client.ts';
import { settingProblems } from './settings.ts';
import type { Site } from './site.ts';

/** An error with a sentence for people; what cannot be asked is left out. */
export async function whyLate(site: Site, primary: Site, zone: RenderedZone): Promise<Error> {
  const master = `${primary.dns.host}:${primary.dns.port}`;
  const [info, problems] = await Promise.all([
    zoneOf(site.api, zone.zone).catch(() => null),
    settingProblems(site, 'secondary').catch((): readonly string[] => []),
  ]);
  const reasons = [...problems];
  if (info !== null && !(info.masters ?? []).some((one) => one === master || `${one}:53` === master))
    reasons.push(
      `it fetches from ${(info.masters ?? []).join(', ') || 'nobody'}, not from ${master}; \`causeway-geodns promote ${primary.name}\` puts that right`,
    );
  return new Error(
    `${site.name} has not fetched revision ${zone.revision}: ${reasons.join('; ') || `its own log says why (allow-axfr-ips of ${primary.name}, a GeoIP or database fault)`}`,
  );
}
