/** `uplinks.*.targets`: what is probed through an uplink, and how one entry becomes a row for each family. */
import { families, type Family, type PerFamily } from '../../types/units.ts';
import type { Target } from '../../types/config.ts';
import { parseAddress } from '../addresses.ts';
import { addresses, parsePerFamily, text } from '../fields.ts';
import { bad, leaf, ok, type Flaw, type Parsed } from '../leaf.ts';
import { section } from '../section.ts';
import type { z } from 'zod';

interface Endpoint {
  readonly family: Family;
  readonly text: string;
  readonly port: number;
}

/** port: at the addresses of ping; endpoints: with addresses of their own. */
type Tcp =
  | { readonly kind: 'port'; readonly port: number }
  | {
      readonly kind: 'endpoints';
      readonly endpoints: PerFamily<Endpoint & { readonly index: number | null }>;
    };

const tcpEditor = {
  anyOf: [
    { type: 'integer', minimum: 1, maximum: 65535 },
    { type: 'string' },
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
  ],
};

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
  tcp: leaf(
    'TCP handshakes: a port at the addresses of ping, or address:port.',
    tcpEditor,
    parseTcp,
  ).optional(),
});

/** A target as it stands in the file. */
export type TargetEntry = z.output<typeof targetSchema>;

/** One row for each family that the entry names, IPv4 first. Flaws are relative to the entry. */
export function rowsOf(entry: TargetEntry): Parsed<readonly Target[]> {
  const { ping, tcp } = entry;
  if (ping === undefined && tcp === undefined) return bad('a target with ping or tcp, or both');
  if (ping === undefined && tcp?.kind === 'port')
    return bad('address:port, since there is no ping whose addresses a port alone could use', ['tcp']);
  const flaws: Flaw[] = [];
  const rows: Target[] = [];
  for (const family of families) {
    const echo = ping?.[family];
    const endpoint = tcp?.kind === 'endpoints' ? tcp.endpoints[family] : undefined;
    if (echo !== undefined && endpoint !== undefined && echo.text !== endpoint.text) {
      const path = endpoint.index === null ? ['tcp'] : ['tcp', endpoint.index];
      flaws.push({
        path,
        allowed: `the address of ping, ${echo.text}; another address is a target of its own`,
      });
    }
    const address = echo?.text ?? endpoint?.text;
    if (address === undefined) continue;
    const tcpPort = tcp?.kind === 'port' ? tcp.port : (endpoint?.port ?? null);
    rows.push({ name: entry.name, region: entry.region, family, address, ping: echo !== undefined, tcpPort });
  }
  return flaws.length > 0 ? { kind: 'bad', flaws } : ok(rows);
}

function parseTcp(value: unknown): Parsed<Tcp> {
  if (typeof value !== 'number') {
    const endpoints = parsePerFamily(value, parseEndpoint);
    return endpoints.kind === 'bad' ? endpoints : ok({ kind: 'endpoints', endpoints: endpoints.value });
  }
  return isPort(value) ? ok({ kind: 'port', port: value }) : bad('a port from 1 to 65535');
}

function parseEndpoint(value: unknown): Parsed<Endpoint> {
  const allowed =
    'a port from 1 to 65535, or an address with one, such as "198.51.100.20:443" or "[2001:db8::20]:443"';
  const match = typeof value === 'string' ? /^(?:\[([^[\]]+)\]|([^:]+)):([1-9]\d{0,4})$/.exec(value) : null;
  const port = Number(match?.[3]);
  const address = parseAddress(match?.[1] ?? match?.[2]);
  if (match === null || !isPort(port) || address.kind === 'bad') return bad(allowed);
  const bracketed = match[1] !== undefined;
  if (bracketed !== (address.value.family === 6)) return bad(allowed);
  return ok({ family: address.value.family, text: address.value.text, port });
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65535;
}
