/** How the kinds of probes stand in a target: which address and port each takes, and what it asks there. */
import { type DnsAsk, type HttpAsk, dnsTypes } from '../../types/outcome.ts';
import type { Family, PerFamily } from '../../types/units.ts';
import { parseAddress } from '../addresses.ts';
import { choice, parsePerFamily, text, wholeNumber } from '../fields.ts';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';
import { section } from '../section.ts';

/** An address with a port; `index`: its place in a list. */
export interface Endpoint {
  readonly family: Family;
  readonly text: string;
  readonly port: number;
}

type Placed<T> = PerFamily<T & { readonly index: number | null }>;

/** port: at the addresses of ping; endpoints: with addresses of their own. */
export type Tcp =
  | { readonly kind: 'port'; readonly port: number }
  | { readonly kind: 'endpoints'; readonly endpoints: Placed<Endpoint> };

const portsEditor = {
  anyOf: [
    { type: 'integer', minimum: 1, maximum: 65535 },
    { type: 'string' },
    { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
  ],
};

export const tcpSchema = leaf(
  'TCP handshakes: a port at the addresses of ping, or address:port.',
  portsEditor,
  parseTcp,
);

const hostName = String.raw`(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*`;

const textsEditor = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }],
};

/** Where an HTTP request goes: its URL with an address, in one family. */
export type HttpUrl = Endpoint & Pick<HttpAsk, 'tls' | 'path'>;

export const httpSchema = section('uplinks.*.targets.*.http', 'An HTTP request; any answer shows the path.', {
  url: leaf(
    'URL with an address, or one for each family, such as https://198.51.100.10/healthz.',
    textsEditor,
    (value) => parsePerFamily(value, parseUrl),
  ),
  host: text(
    'Name in the Host header and of the certificate.',
    new RegExp(`^${hostName}$`),
    'a domain name in ASCII',
  ).optional(),
  status: wholeNumber('The one status that is right; default: any from 200 to 399.', {
    min: 100,
    max: 599,
  }).optional(),
});

export const dnsSchema = section('uplinks.*.targets.*.dns', 'A question to a DNS server at the target.', {
  server: leaf(
    "The server's address, or one for each family; with a port where it is not 53. Default: the addresses of ping.",
    textsEditor,
    (value) => parsePerFamily(value, (one) => parseEndpoint(one, 53)),
  ).optional(),
  name: text('What is asked for.', new RegExp(`^(${hostName}\\.?|\\.)$`), 'a domain name in ASCII'),
  type: choice('Type of the record.', dnsTypes).prefault('A'),
});

/** What a DNS probe of these keys asks. */
export function askOf({ name, type }: { readonly name: string; readonly type: DnsAsk['type'] }): DnsAsk {
  return { name, type };
}

function parseTcp(value: unknown): Parsed<Tcp> {
  if (typeof value !== 'number') {
    const endpoints = parsePerFamily(value, (one) => parseEndpoint(one, null));
    return endpoints.kind === 'bad' ? endpoints : ok({ kind: 'endpoints', endpoints: endpoints.value });
  }
  return isPort(value) ? ok({ kind: 'port', port: value }) : bad('a port from 1 to 65535');
}

function parseUrl(value: unknown): Parsed<HttpUrl> {
  const allowed =
    'a URL with an address, such as https://198.51.100.10/healthz or "http://[2001:db8::10]:8080/"';
  const match =
    typeof value === 'string' && /^[\u0021-\u007e]+$/.test(value)
      ? /^(https?):\/\/(\[[^[\]]+\]|[^/:?#@[\]]+)(?::([1-9]\d{0,4}))?(\/[^#]*)?$/.exec(value)
      : null;
  if (match === null) return bad(allowed);
  const tls = match[1] === 'https';
  const bracketed = match[2]?.startsWith('[') === true;
  const address = parseAddress(bracketed ? match[2]?.slice(1, -1) : match[2]);
  const port = match[3] === undefined ? (tls ? 443 : 80) : Number(match[3]);
  if (address.kind === 'bad' || bracketed !== (address.value.family === 6) || !isPort(port))
    return bad(allowed);
  return ok({ family: address.value.family, text: address.value.text, port, tls, path: match[4] ?? '/' });
}

/** `otherwise`: the port where none is given; null: one must be given. */
function parseEndpoint(value: unknown, otherwise: number | null): Parsed<Endpoint> {
  const allowed =
    otherwise === null
      ? 'a port from 1 to 65535, or an address with one, such as "198.51.100.20:443" or "[2001:db8::20]:443"'
      : 'an address, or one with a port, such as 198.51.100.53 or "[2001:db8::53]:5353"';
  const bare = otherwise === null ? null : parseAddress(value);
  if (bare?.kind === 'ok' && otherwise !== null)
    return ok({ family: bare.value.family, text: bare.value.text, port: otherwise });
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
