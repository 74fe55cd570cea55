/** `uplinks.*.targets`: what is probed through an uplink, and how one entry becomes a row for each family. */
import { families, type Family } from '../../types/units.ts';
import type { ProbePolicy, Target } from '../../types/config.ts';
import { addresses, text } from '../fields.ts';
import { bad, ok, type ConfigPath, type Flaw, type Parsed } from '../leaf.ts';
import { section } from '../section.ts';
import type { z } from 'zod';
import { targetProbeSchema } from './probe.ts';
import { askOf, dnsSchema, httpSchema, tcpSchema } from './target-kinds.ts';

export const targetSchema = section('uplinks.*.targets.*', 'Something beyond the uplink that is probed.', {
  name: text(
    'Name of the target, unique within the uplink.',
    /^(?!gateway$)[a-z0-9][a-z0-9.-]{0,31}$/,
    'a name of up to 32 small letters, digits, dots or hyphens, other than gateway',
  ),
  region: text(
    'ISO country code or a name; targets of one region are judged together.',
    /^[A-Za-z][A-Za-z0-9-]{0,31}$/,
    'an ISO country code such as ID, or a name of up to 32 letters, digits or hyphens',
  ),
  ping: addresses('ICMP echo is sent to this address, or to one for each family.').optional(),
  tcp: tcpSchema.optional(),
  http: httpSchema.optional(),
  dns: dnsSchema.optional(),
  probe: targetProbeSchema.optional(),
});

/** A target as it stands in the file. */
export type TargetEntry = z.output<typeof targetSchema>;

/** One row for each family that the entry names, IPv4 first. Flaws are relative to the entry. */
export function rowsOf(entry: TargetEntry): Parsed<readonly Target[]> {
  const { ping, tcp, http, dns } = entry;
  if (ping === undefined && tcp === undefined && http === undefined && dns === undefined)
    return bad('a target with ping, tcp, http or dns, or several of them');
  if (ping === undefined && tcp?.kind === 'port')
    return bad('address:port, since there is no ping whose addresses a port alone could use', ['tcp']);
  if (ping === undefined && dns !== undefined && dns.server === undefined)
    return bad('a server, since there is no ping whose addresses the question could go to', ['dns']);
  const flaws: Flaw[] = [];
  const rows: Target[] = [];
  for (const family of families) {
    const [first, ...others] = placesOf(entry, family);
    if (first === undefined) continue;
    for (const other of others.filter(({ address }) => address !== first.address)) {
      const what = `the address of ${first.key}, ${first.address}`;
      flaws.push({ path: other.path, allowed: `${what}; another address is a target of its own` });
    }
    rows.push(rowOf(entry, family, first.address));
  }
  return flaws.length > 0 ? { kind: 'bad', flaws } : ok(rows);
}

interface Place {
  readonly key: string;
  readonly address: string;
  readonly path: ConfigPath;
}

/** The addresses that the kinds name in a family, each with where it stands. */
function placesOf({ ping, tcp, http, dns }: TargetEntry, family: Family): readonly Place[] {
  const named: readonly (readonly [
    ConfigPath,
    { readonly text: string; readonly index: number | null } | undefined,
  ])[] = [
    [['ping'], ping?.[family]],
    [['tcp'], tcp?.kind === 'endpoints' ? tcp.endpoints[family] : undefined],
    [['http', 'url'], http?.url[family]],
    [['dns', 'server'], dns?.server?.[family]],
  ];
  return named.flatMap(([path, at]) => {
    if (at === undefined) return [];
    const [key = ''] = path;
    return [{ key: String(key), address: at.text, path: at.index === null ? path : [...path, at.index] }];
  });
}

function rowOf(entry: TargetEntry, family: Family, address: string): Target {
  const { name, region, ping, tcp } = entry;
  const tcpPort = tcp?.kind === 'port' ? tcp.port : (tcp?.endpoints[family]?.port ?? null);
  return {
    name,
    region,
    family,
    address,
    ping: ping?.[family] !== undefined,
    // A port alone is at the addresses of ping.
    tcpPort: tcp?.kind === 'port' && ping?.[family] === undefined ? null : tcpPort,
    ...httpOf(entry, family),
    ...dnsOf(entry, family),
    ...paceOf(entry),
  };
}

function httpOf({ http }: TargetEntry, family: Family): Pick<Target, 'http'> {
  const url = http?.url[family];
  if (http === undefined || url === undefined) return {};
  const { tls, path, port } = url;
  return { http: { tls, path, port, host: http.host ?? null, status: http.status ?? null } };
}

function dnsOf({ dns, ping }: TargetEntry, family: Family): Pick<Target, 'dns'> {
  if (dns === undefined) return {};
  const port =
    dns.server === undefined ? (ping?.[family] === undefined ? null : 53) : dns.server[family]?.port;
  return port === null || port === undefined ? {} : { dns: { ...askOf(dns), port } };
}

function paceOf({ probe }: TargetEntry): Pick<Target, 'probe'> {
  if (probe === undefined) return {};
  const pace: Partial<ProbePolicy> = {
    ...(probe.interval === undefined ? {} : { intervalMillis: probe.interval }),
    ...(probe.timeout === undefined ? {} : { timeoutMillis: probe.timeout }),
    ...(probe.full_size === undefined ? {} : { fullSizeMillis: probe.full_size }),
  };
  return { probe: pace };
}
