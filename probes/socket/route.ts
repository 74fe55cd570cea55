/**
 * Whether the kernel has a route for a probe by its own device. IPv4 needs this question: without a route a socket
 * that is bound to a device takes every destination for a neighbour and sends ARP for it, so a missing table or rule
 * would read as a dead carrier. Asked of the FIB itself over rtnetlink(7), which answers at once and needs no right.
 */
import type { Family } from '../../src/types/units.ts';
import { addressBytes, domainOf } from './address.ts';
import { closeSocket, linux, nameOfErrno, openSocket, receiveDatagram, sendDatagram } from './libc.ts';

/** `elsewhere`: the packet would leave by another interface, for example because the target is this machine. */
export type RouteAnswer =
  | { readonly kind: 'routed' }
  | { readonly kind: 'unrouted'; readonly errno: string }
  | { readonly kind: 'elsewhere'; readonly index: number };

export interface RouteAsker {
  /** Destination and source are socket addresses of the family; `index` the interface that must be used. */
  ask(family: Family, destination: Buffer, source: Buffer, index: number): RouteAnswer;
  close(): void;
}

const getRoute = 26;
const newRoute = 24;
const messageError = 2;
const flagRequest = 1;
const fibMatch = 0x2000;
const attributeDestination = 1;
const attributeSource = 2;
const attributeDevice = 4;
const headerBytes = 16;
const routeBytes = 12;

/** Opens one rtnetlink socket for all questions. Throws SystemCallError. */
export function openRouteAsker(): RouteAsker {
  const fd = openSocket(linux.afNetlink, linux.sockRaw, 0);
  const kernel = Buffer.alloc(12);
  kernel.writeUInt16LE(linux.afNetlink, 0);
  const reply = Buffer.alloc(4096);
  const from = Buffer.alloc(12);
  let sequence = 0;
  return {
    ask(family, destination, source, index) {
      sequence = (sequence + 1) >>> 0;
      const question = encode(family, destination, source, index, sequence);
      if (sendDatagram(fd, question, kernel) !== null) return { kind: 'routed' };
      for (;;) {
        const length = receiveDatagram(fd, reply, from);
        // The kernel answers inside the send. A machine that cannot be asked is not accused.
        if (length === null) return { kind: 'routed' };
        if (reply.readUInt32LE(8) === sequence) return decode(reply, length, index);
      }
    },
    close: () => closeSocket(fd),
  };
}

function encode(
  family: Family,
  destination: Buffer,
  source: Buffer,
  index: number,
  sequence: number,
): Buffer {
  const to = addressBytes(family, destination);
  const device = Buffer.alloc(4);
  device.writeInt32LE(index);
  const attributes = [
    attribute(attributeDestination, to),
    attribute(attributeSource, addressBytes(family, source)),
    attribute(attributeDevice, device),
  ];
  const head = Buffer.alloc(headerBytes + routeBytes);
  const message = Buffer.concat([head, ...attributes]);
  message.writeUInt32LE(message.length, 0);
  message.writeUInt16LE(getRoute, 4);
  message.writeUInt16LE(flagRequest, 6);
  message.writeUInt32LE(sequence, 8);
  message.writeUInt8(domainOf(family), headerBytes);
  message.writeUInt8(to.length * 8, headerBytes + 1);
  message.writeUInt8(to.length * 8, headerBytes + 2);
  message.writeUInt32LE(fibMatch, headerBytes + 8);
  return message;
}

function attribute(type: number, value: Buffer): Buffer {
  const encoded = Buffer.alloc(4 + value.length);
  encoded.writeUInt16LE(encoded.length, 0);
  encoded.writeUInt16LE(type, 2);
  value.copy(encoded, 4);
  return encoded;
}

function decode(reply: Buffer, length: number, index: number): RouteAnswer {
  const type = reply.readUInt16LE(4);
  if (type === messageError) {
    const errno = -reply.readInt32LE(headerBytes);
    return errno === 0 ? { kind: 'routed' } : { kind: 'unrouted', errno: nameOfErrno(errno) };
  }
  if (type !== newRoute) return { kind: 'routed' };
  const device = deviceOf(reply, length);
  return device === null || device === index ? { kind: 'routed' } : { kind: 'elsewhere', index: device };
}

/** RTA_OIF of the answer; null where it has none (a multipath route lists its hops instead). */
function deviceOf(reply: Buffer, length: number): number | null {
  let at = headerBytes + routeBytes;
  while (at + 4 <= length) {
    const size = reply.readUInt16LE(at);
    if (size < 4) return null;
    if (reply.readUInt16LE(at + 2) === attributeDevice) return reply.readInt32LE(at + 4);
    at += (size + 3) & ~3;
  }
  return null;
}
