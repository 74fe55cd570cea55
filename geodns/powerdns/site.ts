/** One site: what it is, what it holds, and whether it has got there. */
import { ask, type DnsServer } from '../dns/ask.ts';
import type { Rrset } from '../render/zone.ts';
import {
  createPrimaryZone,
  createSecondaryZone,
  type PowerDnsApi,
  PowerDnsError,
  patchZone,
  retrieveZone,
  zoneRecords,
} from './client.ts';
import { differenceOf } from './difference.ts';

export interface Site {
  readonly name: string;
  readonly api: PowerDnsApi;
  readonly dns: DnsServer;
}

/** The serial that the site's DNS answers with; null where it does not have the zone. Rejects with a DnsError. */
export async function servedSerial(site: Site, zone: string, timeoutMillis = 1000): Promise<number | null> {
  const reply = await ask(site.dns, zone, 'SOA', { timeoutMillis });
  const serial = reply.answers.find((answer) => answer.data !== null)?.data;
  return reply.rcode === 0 && serial !== undefined && serial !== null ? Number(serial) : null;
}

/**
 * Makes the primary hold exactly these records; creates the zone where it is missing. Returns how many rrsets were sent.
 * A zone that is not primary there is never written: PowerDNS would say 204 and the sites would part for good. `check`
 * may throw about what is there, and then nothing is sent.
 */
export async function writePrimary(
  site: Site,
  zone: string,
  wanted: readonly Rrset[],
  check: (present: readonly Rrset[]) => void = () => undefined,
): Promise<number> {
  const present = await presentRecords(site, zone);
  if (present === null) {
    await createPrimaryZone(site.api, zone, wanted);
    return wanted.length;
  }
  check(present);
  const difference = differenceOf(present, wanted);
  if (difference.length > 0) await patchZone(site.api, zone, difference);
  return difference.length;
}

/** The serial in these records; 0 where they have no SOA. */
export function serialOf(rrsets: readonly Rrset[]): number {
  const soa = rrsets.find(({ type }) => type === 'SOA')?.records[0] ?? '';
  return Number(soa.split(/\s+/)[2] ?? 0);
}

/** Records of the zone at the primary; null: no such zone. Throws pdns-refused where the site is not its primary. */
export async function presentRecords(site: Site, zone: string): Promise<readonly Rrset[] | null> {
  try {
    const { kind, rrsets } = await zoneRecords(site.api, zone);
    if (!['master', 'primary', 'native'].includes(kind.toLowerCase()))
      throw new PowerDnsError(
        'pdns-refused',
        `${site.name} holds ${zone} as ${kind}; write to its primary, or promote it first`,
      );
    return rrsets.map(({ name, type, ttl, records }) => ({
      name,
      type,
      ttlSeconds: ttl,
      records: records.filter((record) => !record.disabled).map((record) => record.content),
    }));
  } catch (error) {
    if (error instanceof PowerDnsError && error.code === 'pdns-zone-missing') return null;
    throw error;
  }
}

/** Makes a secondary fetch the zone; creates it there where it is missing. */
export async function pullSecondary(site: Site, primary: Site, zone: string): Promise<void> {
  try {
    await retrieveZone(site.api, zone);
  } catch (error) {
    if (!(error instanceof PowerDnsError) || error.code !== 'pdns-zone-missing') throw error;
    await createSecondaryZone(site.api, zone, [`${primary.dns.host}:${primary.dns.port}`]);
    await retrieveZone(site.api, zone);
  }
}
