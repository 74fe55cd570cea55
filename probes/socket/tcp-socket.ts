/**
 * One TCP handshake from a device and source of our own choice. The round trip comes from the kernel's TCP_INFO, so
 * it can be read whenever it suits; of a reset the kernel keeps none, and only the event tells its time. Hence two
 * ways: a quiet attempt is system calls alone and is looked at now and then, a watched one has node:net's events,
 * which cost about as much again.
 */
import { Socket } from 'node:net';
import type { Family } from '../../src/types/units.ts';
import { domainOf, socketAddress } from './address.ts';
import {
  SystemCallError,
  bindAddress,
  bindToDevice,
  closeSocket,
  connectAddress,
  linux,
  openSocket,
  pendingError,
  readOption,
  resetOnClose,
} from './libc.ts';

export type Handshake =
  /** SYN-ACK. `retransmits` above 0: the first SYN or its answer was lost. */
  | { readonly kind: 'established'; readonly rttMillis: number; readonly retransmits: number }
  /** RST, or ICMP port unreachable: somebody at that address answered. */
  | { readonly kind: 'refused' }
  /** errno of an error that ended it: the network's word or our own machine's, which the caller must find out. */
  | { readonly kind: 'error'; readonly errno: string };

export interface Attempt {
  /** What the kernel knows now, where the event has not come through yet; null while it waits. */
  look(): Handshake | null;
  /** Resets the connection or gives it up. Afterwards no event comes. */
  close(): void;
}

export interface AttemptOptions {
  readonly family: Family;
  readonly interface: string;
  readonly source: string;
  readonly index: number;
  readonly address: string;
  readonly port: number;
  /** Called once at most, never before the attempt was returned. */
  onEnd(handshake: Handshake): void;
}

const optionTcpInfo = 11;
const stateEstablished = 1;
const stateSynSent = 2;
const stateCloseWait = 8;
const rttOffset = 68;
const retransmitsOffset = 100;

/** Sends the SYN now, from a fresh source port. Throws SystemCallError where the machine itself refuses. tcp(7). */
export function openQuietAttempt(options: Omit<AttemptOptions, 'onEnd'>): Attempt {
  const fd = openBound(options);
  const errno = connectAddress(
    fd,
    socketAddress(options.family, options.address, options.port, options.index),
  );
  if (errno !== null) {
    closeSocket(fd);
    throw new SystemCallError('connect', errno);
  }
  resetOnClose(fd);
  let open = true;
  return {
    look: () => (open ? lookQuietly(fd) : null),
    close: () => {
      if (open) closeSocket(fd);
      open = false;
    },
  };
}

function lookQuietly(fd: number): Handshake | null {
  const struct = information(fd);
  switch (struct?.[0]) {
    case stateSynSent:
      return null;
    case stateEstablished:
    case stateCloseWait:
      return established(fd);
    default:
      return failed(pendingError(fd) ?? 'ECONNRESET');
  }
}

/** A TCP connection of node:net. */
export type Connection = Socket;

/** A socket of node:net that connects now, by that device and source. Throws SystemCallError where the machine refuses. */
export function openConnection(options: Omit<AttemptOptions, 'onEnd'>): Socket {
  const socket = new Socket({ fd: openBound(options) });
  connectByName(socket, options);
  return socket;
}

function connectByName(
  socket: Socket,
  { family, address, interface: device, port }: Omit<AttemptOptions, 'onEnd'>,
): void {
  const linkLocal = family === 6 && /^fe[89ab]/i.test(address);
  socket.connect({ host: linkLocal ? `${address}%${device}` : address, port, family });
}

/** Sends the SYN in this turn of the loop and tells its end by an event. Throws SystemCallError like the quiet one. */
export function openWatchedAttempt(options: AttemptOptions): Attempt {
  const fd = openBound(options);
  const socket = new Socket({ fd });
  let ended = false;
  const end = (handshake: Handshake): void => {
    if (!ended) options.onEnd(handshake);
    ended = true;
  };
  socket.on('error', (error: NodeJS.ErrnoException) => end(failed(error.code ?? 'unknown')));
  socket.on('connect', () => end(established(fd)));
  connectByName(socket, options);
  return {
    look: () => (ended || socket.destroyed || !isEstablished(fd) ? null : established(fd)),
    close: () => {
      ended = true;
      if (socket.destroyed) return;
      // A reset leaves no TIME_WAIT; while it is connecting it would wait for the connection instead.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
    },
  };
}

function openBound(options: Omit<AttemptOptions, 'onEnd'>): number {
  const fd = openSocket(domainOf(options.family), linux.sockStream, linux.ipprotoTcp);
  try {
    bindToDevice(fd, options.interface);
    bindAddress(fd, socketAddress(options.family, options.source, 0, options.index));
    return fd;
  } catch (error) {
    closeSocket(fd);
    throw error;
  }
}

/**
 * Whether the machine itself has no way to that address by that device and source; the errno's name if so. Sends
 * nothing. It tells our own ENETUNREACH from one that a router sent.
 */
export function refusedHere(options: Omit<AttemptOptions, 'onEnd'>): string | null {
  let fd = -1;
  try {
    fd = openSocket(domainOf(options.family), linux.sockDgram, 0);
    bindToDevice(fd, options.interface);
    bindAddress(fd, socketAddress(options.family, options.source, 0, options.index));
    return connectAddress(fd, socketAddress(options.family, options.address, options.port, options.index));
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return error.code;
  } finally {
    if (fd !== -1) closeSocket(fd);
  }
}

function failed(code: string): Handshake {
  return code === 'ECONNREFUSED' ? { kind: 'refused' } : { kind: 'error', errno: code };
}

function information(fd: number): Buffer | null {
  const struct = Buffer.alloc(104);
  return readOption(fd, linux.ipprotoTcp, optionTcpInfo, struct) ? struct : null;
}

function isEstablished(fd: number): boolean {
  return information(fd)?.[0] === stateEstablished;
}

function established(fd: number): Handshake {
  const struct = information(fd);
  if (struct === null) return { kind: 'error', errno: 'no-tcp-info' };
  return {
    kind: 'established',
    rttMillis: struct.readUInt32LE(rttOffset) / 1e3,
    retransmits: struct.readUInt32LE(retransmitsOffset),
  };
}
