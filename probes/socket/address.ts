/** Addresses as the kernel wants them (`struct sockaddr_in` and `sockaddr_in6`) and back to text. */
import type { Family } from '../../src/types/units.ts';
import { linux, parseAddress } from './libc.ts';

/** The address family's number in system calls. */
export function domainOf(family: Family): number {
  return family === 4 ? linux.afInet : linux.afInet6;
}

/** Whether an IPv6 address means something on one link only (fe80::/10, RFC 4291 section 2.5.6). */
export function isLinkLocal(family: Family, bytes: Buffer): boolean {
  return family === 6 && bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

/**
 * A socket address. `scope` is the interface's index, which link-local IPv6 addresses need and others ignore.
 * Throws a RangeError where the text is no address of that family.
 */
export function socketAddress(family: Family, text: string, port: number, scope: number): Buffer {
  const bytes = parseAddress(domainOf(family), text);
  if (bytes === null) throw new RangeError(`not an IPv${family} address: ${text}`);
  const sockaddr = Buffer.alloc(family === 4 ? 16 : 28);
  sockaddr.writeUInt16LE(domainOf(family), 0);
  sockaddr.writeUInt16BE(port, 2);
  bytes.copy(sockaddr, family === 4 ? 4 : 8);
  if (isLinkLocal(family, bytes)) sockaddr.writeUInt32LE(scope, 24);
  return sockaddr;
}

/** The address bytes inside a socket address, without port and scope; a view, not a copy. */
export function addressBytes(family: Family, sockaddr: Buffer): Buffer {
  return family === 4 ? sockaddr.subarray(4, 8) : sockaddr.subarray(8, 24);
}
