/** PowerDNS's HTTP API (4.7 to 5.1): whole rrsets, never read-modify-write. A zone is named with its final dot. */
import { z } from 'zod';
import type { Rrset } from '../render/zone.ts';

export interface PowerDnsApi {
  /** Such as http://127.0.0.1:8081 */
  readonly url: string;
  readonly key: string;
}

export class PowerDnsError extends Error {
  override readonly name = 'PowerDnsError';
  /**
   * pdns-unreachable and pdns-busy (5xx) are worth a retry; pdns-key (401), pdns-zone-missing (404) and pdns-refused
   * (422 and other 4xx) need a person; pdns-bad-reply is an answer that is not PowerDNS's.
   */
  readonly code:
    | 'pdns-unreachable'
    | 'pdns-busy'
    | 'pdns-key'
    | 'pdns-zone-missing'
    | 'pdns-refused'
    | 'pdns-bad-reply';
  constructor(code: PowerDnsError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const zoneInfo = z.object({
  name: z.string(),
  kind: z.string(),
  serial: z.number(),
  masters: z.array(z.string()).optional(),
});
const zoneWithRecords = zoneInfo.extend({
  rrsets: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      ttl: z.number(),
      records: z.array(z.object({ content: z.string(), disabled: z.boolean() })),
    }),
  ),
});
export type ZoneInfo = z.output<typeof zoneInfo>;
export type ZoneWithRecords = z.output<typeof zoneWithRecords>;
const serverInfo = z.object({ daemon_type: z.string(), version: z.string() });
const settings = z.array(z.object({ name: z.string(), value: z.string() }));

const timeoutMillis = 5000;

/** What runs there, by its own word: `authoritative` and a version such as 5.1.5. */
export async function serverOf(
  api: PowerDnsApi,
): Promise<{ readonly daemonType: string; readonly version: string }> {
  const { daemon_type: daemonType, version } = read(await call(api, 'GET', ''), serverInfo);
  return { daemonType, version };
}

/** The settings of the running server by name. */
export async function serverSettings(api: PowerDnsApi): Promise<ReadonlyMap<string, string>> {
  const list = read(await call(api, 'GET', '/config'), settings);
  return new Map(list.map(({ name, value }) => [name, value]));
}

export async function zoneOf(api: PowerDnsApi, zone: string): Promise<ZoneInfo> {
  return read(await call(api, 'GET', `/zones/${zone}?rrsets=false`), zoneInfo);
}

export async function zoneRecords(api: PowerDnsApi, zone: string): Promise<ZoneWithRecords> {
  return read(await call(api, 'GET', `/zones/${zone}`), zoneWithRecords);
}

/** A new zone with these records; `soa_edit_api` stays empty so that the serial is ours alone. */
export async function createPrimaryZone(
  api: PowerDnsApi,
  zone: string,
  rrsets: readonly Rrset[],
): Promise<void> {
  await call(api, 'POST', '/zones', {
    name: zone,
    kind: 'Master',
    soa_edit_api: '',
    nameservers: [],
    rrsets: rrsets.map((rrset) => bodyOf(rrset)),
  });
}

/** `masters`: `address:port` of the primary's DNS. */
export async function createSecondaryZone(
  api: PowerDnsApi,
  zone: string,
  masters: readonly string[],
): Promise<void> {
  await call(api, 'POST', '/zones', { name: zone, kind: 'Slave', masters, nameservers: [] });
}

/** Makes the site the zone's primary; its records stay. */
export async function makePrimary(api: PowerDnsApi, zone: string): Promise<void> {
  await call(api, 'PUT', `/zones/${zone}`, { kind: 'Master', masters: [], soa_edit_api: '' });
}

/** Makes the site a secondary of this `address:port`; its records stay until it fetches. */
export async function makeSecondary(api: PowerDnsApi, zone: string, master: string): Promise<void> {
  await call(api, 'PUT', `/zones/${zone}`, { kind: 'Slave', masters: [master] });
}

/** Replaces these rrsets, and deletes those without records, in one transaction. */
export async function patchZone(api: PowerDnsApi, zone: string, rrsets: readonly Rrset[]): Promise<void> {
  await call(api, 'PATCH', `/zones/${zone}`, {
    rrsets: rrsets.map((rrset) =>
      Object.assign(bodyOf(rrset), { changetype: rrset.records.length === 0 ? 'DELETE' : 'REPLACE' }),
    ),
  });
}

/** Makes a secondary fetch now; it answers before the transfer is done. */
export async function retrieveZone(api: PowerDnsApi, zone: string): Promise<void> {
  await call(api, 'PUT', `/zones/${zone}/axfr-retrieve`);
}

/** Makes the primary send NOTIFY (RFC 1996). */
export async function notifyZone(api: PowerDnsApi, zone: string): Promise<void> {
  await call(api, 'PUT', `/zones/${zone}/notify`);
}

function bodyOf({ name, type, ttlSeconds, records }: Rrset): Record<string, unknown> {
  return { name, type, ttl: ttlSeconds, records: records.map((content) => ({ content, disabled: false })) };
}

async function call(api: PowerDnsApi, method: string, path: string, body?: unknown): Promise<unknown> {
  const url = `${api.url}/api/v1/servers/localhost${path}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers: {
        'X-API-Key': api.key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(timeoutMillis),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    throw new PowerDnsError(
      'pdns-unreachable',
      `${api.url} does not answer; is PowerDNS running with api=yes?`,
      error,
    );
  }
  if (response.ok) return text === '' ? null : parseJson(text, api.url);
  throw new PowerDnsError(
    codeOf(response.status),
    `${method} ${url}: ${response.status} ${text.slice(0, 300)}`,
  );
}

function codeOf(status: number): PowerDnsError['code'] {
  if (status === 401 || status === 403) return 'pdns-key';
  if (status === 404) return 'pdns-zone-missing';
  return status >= 500 ? 'pdns-busy' : 'pdns-refused';
}

function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PowerDnsError('pdns-bad-reply', `${url} sent an answer that is not JSON`, error);
  }
}

function read<S extends z.ZodType>(answer: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success)
    throw new PowerDnsError('pdns-bad-reply', "PowerDNS's API sent an answer of another form", parsed.error);
  return parsed.data;
}
