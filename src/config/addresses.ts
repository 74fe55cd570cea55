/** IP addresses and prefixes in canonical text (RFC 5952 for IPv6), and what lies inside what. */
import ipaddr from 'ipaddr.js';
import type { Family } from '../types/units.ts';
import { bad, ok, type Parsed } from './leaf.ts';

/** A unicast address in canonical text. */
export interface Address {
  readonly family: Family;
  readonly text: string;
  /** Valid on one link alone: 169.254.0.0/16 (RFC 3927), fe80::/10 (RFC 4291 2.5.6). */
  readonly linkLocal: boolean;
}

/** A span of addresses of one family; both ends belong to it. */
export interface Span {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** A prefix in canonical text, with the addresses in it. */
export interface Prefix extends Span {
  readonly text: string;
}

type Ip = ipaddr.IPv4 | ipaddr.IPv6;

/** Shorter ones are never an anycast service; announcing 0.0.0.0/0 to a carrier is an accident. */
const shortestPrefix = { 4: 8, 6: 16 } as const;
const notUnicast: readonly string[] = ['unspecified', 'multicast', 'loopback', 'broadcast', 'ipv4Mapped'];

/** A unicast address that is neither loopback nor unspecified, without a prefix length or a zone. */
export function parseAddress(value: unknown): Parsed<Address> {
  if (typeof value !== 'string') return bad('an IPv4 or IPv6 address');
  if (value.includes('/')) return bad('an IPv4 or IPv6 address without a prefix length');
  if (value.includes('%')) return bad("an address without a zone: the uplink's interface is used");
  const ip = parseIp(value);
  if (ip === null) return bad('an IPv4 or IPv6 address');
  if (notUnicast.includes(ip.range()))
    return bad('a unicast address that is neither loopback, unspecified nor IPv4-mapped');
  return ok({ family: familyOf(ip), text: textOf(ip), linkLocal: ip.range() === 'linkLocal' });
}

/** A prefix of unicast addresses without host bits. */
export function parsePrefix(value: unknown): Parsed<Prefix> {
  const allowed = 'an IPv4 or IPv6 prefix such as 203.0.113.0/24';
  const match = typeof value === 'string' ? /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(value) : null;
  const ip = match === null ? null : parseIp(match[1] ?? '');
  if (match === null || ip === null) return bad(allowed);
  const family = familyOf(ip);
  const bits = family === 4 ? 32 : 128;
  const length = Number(match[2]);
  if (length < shortestPrefix[family] || length > bits)
    return bad(`an IPv${family} prefix with a length from ${shortestPrefix[family]} to ${bits}`);
  const span = spanOf(ip, BigInt(bits - length));
  if (span.first !== numberOf(ip))
    return bad(`a prefix without host bits: ${textOfNumber(family, span.first)}/${length}`);
  if (notUnicast.includes(ip.range())) return bad('a prefix of unicast addresses');
  return ok({ ...span, text: `${textOf(ip)}/${length}` });
}

/** The span of a single address in canonical text. */
export function spanOfAddress(text: string): Span | null {
  const ip = parseIp(text);
  return ip === null ? null : spanOf(ip, 0n);
}

/** Whether `inner` lies inside `outer` as a whole. */
export function contains(outer: Span, inner: Span): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

/** A dotted quad; the library alone would take `1`, `0x7f.1` and octal too. */
export function parseIp(text: string): Ip | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

function familyOf(ip: Ip): Family {
  return ip instanceof ipaddr.IPv4 ? 4 : 6;
}

/** Canonical text of an address. */
export function textOf(ip: Ip): string {
  return ip instanceof ipaddr.IPv4 ? ip.toString() : ip.toRFC5952String();
}

function numberOf(ip: Ip): bigint {
  return ip.toByteArray().reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
}

function spanOf(ip: Ip, hostBits: bigint): Span {
  const first = (numberOf(ip) >> hostBits) << hostBits;
  return { family: familyOf(ip), first, last: first + (1n << hostBits) - 1n };
}

function textOfNumber(family: Family, value: bigint): string {
  const bytes: number[] = [];
  for (let shift = family === 4 ? 24n : 120n; shift >= 0n; shift -= 8n)
    bytes.push(Number((value >> shift) & 255n));
  return textOf(ipaddr.fromByteArray(bytes));
}
