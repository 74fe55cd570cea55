/**
 * One UDP question from a device, source and fresh port of our own. It is connected, so that the kernel hands over only
 * what comes from the address and port that was asked, and tells of an ICMP "port unreachable" (udp(7)).
 */
import type { Family } from '../../src/types/units.ts';
import { domainOf, socketAddress } from './address.ts';
import {
  SystemCallError,
  bindAddress,
  bindToDevice,
  closeSocket,
  connectAddress,
  control,
  linux,
  openSocket,
  realtimeMillis,
  receiveOrError,
  sendDatagram,
  timespecMillis,
} from './libc.ts';

export interface UdpOptions {
  readonly family: Family;
  readonly interface: string;
  readonly source: string;
  readonly index: number;
  readonly address: string;
  readonly port: number;
}

export type UdpNews =
  | { readonly kind: 'message'; readonly message: Buffer; readonly agoMillis: number }
  /** What the network or our own machine said of the question. */
  | { readonly kind: 'error'; readonly errno: string };

export interface UdpQuestion {
  /** Null where the kernel took it, else the errno's name. */
  send(message: Buffer): string | null;
  /** The next thing that the kernel has for us; null: nothing. A message is valid until the next call. */
  next(): UdpNews | null;
  close(): void;
}

const getStamp = 0x8907;
const longestBytes = 4096;

/** Throws SystemCallError where the machine itself refuses. */
export function openUdpQuestion(options: UdpOptions): UdpQuestion {
  const { family } = options;
  const fd = openConnected(options);
  const to = socketAddress(family, options.address, options.port, options.index);
  const stamp = Buffer.alloc(16);
  // The first call switches stamping on.
  control(fd, getStamp, stamp);
  const buffer = Buffer.alloc(longestBytes);
  const sender = Buffer.alloc(family === 4 ? 16 : 28);
  let open = true;
  return {
    send: (message) => sendDatagram(fd, message, to),
    next: () => {
      if (!open) return null;
      const length = receiveOrError(fd, buffer, sender);
      if (length === null) return null;
      if (typeof length === 'string') return { kind: 'error', errno: length };
      const agoMillis = control(fd, getStamp, stamp) ? realtimeMillis() - timespecMillis(stamp) : 0;
      return { kind: 'message', message: buffer.subarray(0, length), agoMillis };
    },
    close: () => {
      if (open) closeSocket(fd);
      open = false;
    },
  };
}

function openConnected(options: UdpOptions): number {
  const { family, index } = options;
  const fd = openSocket(domainOf(family), linux.sockDgram, linux.ipprotoUdp);
  try {
    bindToDevice(fd, options.interface);
    bindAddress(fd, socketAddress(family, options.source, 0, index));
    const errno = connectAddress(fd, socketAddress(family, options.address, options.port, index));
    if (errno !== null) throw new SystemCallError('connect', errno);
    return fd;
  } catch (error) {
    closeSocket(fd);
    throw error;
  }
}
