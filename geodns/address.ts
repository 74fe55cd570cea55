/** Addresses and subnets as numbers, so that a test of membership is a shift and a comparison. */
import ipaddr from 'ipaddr.js';
import type { Family } from '../src/types/units.ts';

export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

/** An address with the host bits zero, and its length in bits. */
export interface Subnet extends Address {
  readonly length: number;
}

/** How many bits an address of the family has. */
export function bitsOf(family: Family): number {
  return family === 4 ? 32 : 128;
}

/**
 * A plain address; undefined for anything else. An IPv4 address mapped into IPv6 (RFC 4291 2.5.5.2) is the IPv4 address,
 * so that a client has one classification however it is written. No zone, no port, no short or octal IPv4.
 */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return fromBytes(ipaddr.IPv4.parse(text).toByteArray());
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  const parsed = ipaddr.IPv6.parse(text);
  return fromBytes(
    parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toByteArray() : parsed.toByteArray(),
  );
}

/** An address as people and headers write it: blanks around, `192.0.2.1:5353`, `[2001:db8::1]:53`. */
export function parseClient(text: string): Address | undefined {
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed);
  const ported = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(trimmed);
  return parseAddress(bracketed?.[1] ?? ported?.[1] ?? trimmed);
}

/** `192.0.2.0/24`; undefined for anything else, also when bits behind the length are set. */
export function parseSubnet(text: string): Subnet | undefined {
  const parts = /^([^/]+)\/(\d{1,3})$/.exec(text);
  const address = parts?.[1] === undefined ? undefined : parseAddress(parts[1]);
  const length = Number(parts?.[2]);
  if (address === undefined || length > bitsOf(address.family)) return undefined;
  if (parts?.[1]?.includes(':') && address.family === 4) return undefined;
  return subnetOf(address, length).value === address.value ? { ...address, length } : undefined;
}

/** The subnet of that length in which the address lies. */
export function subnetOf(address: Address, length: number): Subnet {
  const host = BigInt(bitsOf(address.family) - length);
  return { family: address.family, value: (address.value >> host) << host, length };
}

export function contains(subnet: Subnet, address: Address): boolean {
  if (subnet.family !== address.family) return false;
  const host = BigInt(bitsOf(subnet.family) - subnet.length);
  return subnet.value >> host === address.value >> host;
}

/** Canonical text (RFC 5952 for IPv6). */
export function formatAddress(address: Address): string {
  const bytes = toBytes(address);
  return ipaddr.fromByteArray([...bytes]).toString();
}

export function formatSubnet(subnet: Subnet): string {
  return `${formatAddress(subnet)}/${subnet.length}`;
}

/** 4 or 16 bytes in network order. */
export function toBytes(address: Address): Uint8Array {
  const count = bitsOf(address.family) / 8;
  return Uint8Array.from({ length: count }, (_, index) =>
    Number((address.value >> BigInt(8 * (count - 1 - index))) & 255n),
  );
}

/** The address that 4 or 16 bytes in network order are. */
export function fromBytes(bytes: ArrayLike<number>): Address {
  let value = 0n;
  for (let index = 0; index < bytes.length; index += 1) value = (value << 8n) | BigInt(bytes[index] ?? 0);
  return { family: bytes.length === 4 ? 4 : 6, value };
}
