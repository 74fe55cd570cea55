/**
 * Linux ICMP datagram ("ping") sockets, bound to a device and a source. The kernel owns identifier and checksum and
 * hands over only replies to the socket's own identifier. All of it is system calls: a refused send is told at once,
 * nothing waits in a queue of libuv's, and no event wakes us for a reply. The kernel stamps each reply as it arrives,
 * so reading them a tenth of a second later, many at a time, measures the same at half the cost.
 */
import type { Family } from '../../src/types/units.ts';
import { addressBytes, domainOf, socketAddress } from './address.ts';
import {
  SystemCallError,
  bindAddress,
  bindToDevice,
  closeSocket,
  control,
  forbidFragments,
  linux,
  openSocket,
  realtimeMillis,
  receiveDatagram,
  sendDatagram,
  timespecMillis,
  widenReceiveBuffer,
} from './libc.ts';

/** One echo reply's message as the socket gave it. */
export interface Reply {
  /** ICMP header and payload, without the IP header. Valid inside the callback only. */
  readonly message: Buffer;
  /** Address bytes of the sender. */
  readonly from: Buffer;
  /** How long ago the kernel received it. 0 where it does not say. */
  readonly agoMillis: number;
}

export interface IcmpSocket {
  /** Null where the kernel took it, else the errno's name. */
  send(message: Buffer, destination: Buffer): string | null;
  /** Reads what waits in the kernel now; afterwards every reply that came is known. */
  drain(): void;
  close(): void;
}

export interface IcmpSocketOptions {
  readonly family: Family;
  readonly interface: string;
  readonly source: string;
  /** Interface index, for link-local sources. */
  readonly index: number;
  /** Wished ICMP identifier, 1 to 65535; another one is taken while it is in use. */
  readonly identifier: number;
  /** Whole or not at all, up to the interface's own limit. */
  readonly unfragmented: boolean;
  /** Called from `drain` alone. */
  onReply(reply: Reply): void;
}

// SIOCGSTAMPNS: when the last datagram that was read from this socket arrived. The first call switches stamping on.
const getStamp = 0x8907;
// Room for about 500 replies of 64 bytes: a blocked second at 500 probes/s loses none.
const receiveBufferBytes = 1_000_000;
// A reply of a jumbo frame; longer ones are cut, which the nonce near their begin survives.
const longestReplyBytes = 9216;
const identifierTries = 16;

/** Throws SystemCallError: `EACCES` means that net.ipv4.ping_group_range does not hold our group. icmp(7). */
export function openIcmpSocket(options: IcmpSocketOptions): IcmpSocket {
  const fd = openBound(options);
  const stamp = Buffer.alloc(16);
  const ago = (): number => (control(fd, getStamp, stamp) ? realtimeMillis() - timespecMillis(stamp) : 0);
  control(fd, getStamp, stamp);
  const buffer = Buffer.alloc(options.unfragmented ? longestReplyBytes : 2048);
  const sender = Buffer.alloc(options.family === 4 ? 16 : 28);
  const from = addressBytes(options.family, sender);
  let open = true;
  return {
    send: (message, destination) => sendDatagram(fd, message, destination),
    drain: () => {
      for (;;) {
        // A callback may have closed us, and the number may be somebody else's by now.
        const length = open ? receiveDatagram(fd, buffer, sender) : null;
        if (length === null) return;
        options.onReply({ message: buffer.subarray(0, length), from, agoMillis: ago() });
      }
    },
    close: () => {
      if (open) closeSocket(fd);
      open = false;
    },
  };
}

function openBound(options: IcmpSocketOptions): number {
  const { family } = options;
  const fd = openSocket(
    domainOf(family),
    linux.sockDgram,
    family === 4 ? linux.ipprotoIcmp : linux.ipprotoIcmp6,
  );
  try {
    bindToDevice(fd, options.interface);
    if (options.unfragmented) forbidFragments(fd, family);
    bindIdentifier(fd, options);
    widenReceiveBuffer(fd, receiveBufferBytes);
    return fd;
  } catch (error) {
    closeSocket(fd);
    throw error;
  }
}

/** The identifier is the "port". A random one keeps two nodes behind one NAT apart, which the kernel's order does not. */
function bindIdentifier(fd: number, options: IcmpSocketOptions): void {
  for (let tried = 0; ; tried += 1) {
    const identifier = ((options.identifier + tried * 7919 - 1) % 65535) + 1;
    try {
      bindAddress(fd, socketAddress(options.family, options.source, identifier, options.index));
      return;
    } catch (error) {
      const taken = error instanceof SystemCallError && error.code === 'EADDRINUSE';
      if (!taken || tried === identifierTries) throw error;
    }
  }
}
