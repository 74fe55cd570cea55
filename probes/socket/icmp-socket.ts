/**
 * Linux ICMP datagram ("ping") sockets, bound to a device and a source. The kernel owns identifier and checksum and
 * hands over only replies to the socket's own identifier. All of it is system calls: a refused send is told at once,
 * nothing waits in a queue of libuv's, and no event wakes us for a reply. The kernel stamps each reply as it arrives,
 * so reading them a tenth of a second later, many at a time, measures the same at half the cost.
 */
import type { Family } from '../../src/types/units.ts';
import { domainOf, socketAddress } from './address.ts';
import {
  SystemCallError,
  bindAddress,
  bindToDevice,
  closeSocket,
  forbidFragments,
  linux,
  openSocket,
  sendDatagram,
  stampArrivals,
  widenReceiveBuffer,
} from './libc.ts';
import { type Reply, makeReplyBatch } from './reply-batch.ts';

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

// Room for about 500 replies of 64 bytes: a blocked second at 500 probes/s loses none.
const receiveBufferBytes = 1_000_000;
const identifierTries = 16;

const batches = { 4: makeReplyBatch(4), 6: makeReplyBatch(6) } as const;

/** Throws SystemCallError: `EACCES` means that net.ipv4.ping_group_range does not hold our group. icmp(7). */
export function openIcmpSocket(options: IcmpSocketOptions): IcmpSocket {
  const fd = openBound(options);
  const batch = batches[options.family];
  const onReply = (reply: Reply): void => options.onReply(reply);
  let open = true;
  return {
    send: (message, destination) => sendDatagram(fd, message, destination),
    drain: () => {
      // A callback may have closed us, and the number may be somebody else's by now.
      for (let more = open; more; ) more = batch.read(fd, onReply) && open;
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
    stampArrivals(fd);
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
