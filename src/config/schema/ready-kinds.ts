/** The parts of a readiness check that have keys or rules of their own: dns, haproxy, address. */
import type { z } from 'zod';
import { type DnsProbe, dnsTypes, type HaproxyProbe } from '../../types/ready-check.ts';
import { absolutePath, choice, text, wholeNumber } from '../fields.ts';
import { bad, leaf, ok, type Parsed } from '../leaf.ts';
import { hostOf, parseEndpoint } from '../ready-values.ts';
import { section } from '../section.ts';

/** A domain name in ASCII, as a pattern without its ends. */
export const hostName = String.raw`(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*`;
const printable = /^[\u0020-\u007e]{1,255}$/;

/** `dns`. */
export const dnsSchema = section('services.*.ready.dns', 'A question to a DNS server.', {
  server: leaf('Address of the server, with a port where it is not 53.', { type: 'string' }, (value) =>
    parseEndpoint(value, 53),
  ),
  name: text('What is asked for.', new RegExp(`^(${hostName}\\.?|\\.)$`), 'a domain name in ASCII'),
  type: choice('Type of the record.', dnsTypes).prefault('A'),
  expect: text(
    'A value that must be among the answers.',
    printable,
    'printable ASCII text of at most 255 characters',
  ).optional(),
});

const haproxyName = /^[A-Za-z0-9_.:-]{1,128}$/;
/** `haproxy`. */
export const haproxySchema = section(
  'services.*.ready.haproxy',
  "A backend as HAProxy's own checks see it.",
  {
    socket: absolutePath("HAProxy's stats socket.", 'socket'),
    backend: text('The backend that must be UP.', haproxyName, 'the name of a backend'),
    server: text('This server of it alone.', haproxyName, 'the name of a server').optional(),
    at_least: wholeNumber('Servers of the backend that must be up; default 1.', {
      min: 1,
      max: 10_000,
    }).optional(),
  },
);

/** What is wrong with `expect` beside `type`, as what is allowed. */
export function dnsFlaws({ type, expect }: z.output<typeof dnsSchema>): readonly string[] {
  if (expect === undefined || (type !== 'A' && type !== 'AAAA')) return [];
  const host = hostOf(expect);
  const fits = host !== null && host.includes(':') === (type === 'AAAA');
  return fits ? [] : [`an IPv${type === 'A' ? 4 : 6} address, since the type is ${type}`];
}

/** As the checks take it. */
export function dnsProbe({ server, name, type, expect }: z.output<typeof dnsSchema>): DnsProbe {
  const isAddress = type === 'A' || type === 'AAAA';
  const wanted = expect === undefined ? null : isAddress ? hostOf(expect) : expect;
  return { kind: 'dns', server, name, type, expect: wanted };
}

/** As the checks take it. */
export function haproxyProbe({
  socket,
  backend,
  server,
  at_least: atLeast,
}: z.output<typeof haproxySchema>): HaproxyProbe {
  return { kind: 'haproxy', socket, backend, server: server ?? null, atLeast: atLeast ?? 1 };
}

/** An address that an interface may have, in canonical text. */
export function parseOwnAddress(
  value: unknown,
): Parsed<{ readonly address: string; readonly family: 4 | 6 }> {
  const address = typeof value === 'string' ? hostOf(value) : null;
  if (address === null) return bad('an IPv4 or IPv6 address without a prefix length');
  return ok({ address, family: address.includes(':') ? 6 : 4 });
}
