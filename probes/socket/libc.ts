/**
 * The system calls that Node does not offer: sockets bound to a device, ICMP datagram sockets, kernel timestamps,
 * TCP_INFO. Nothing outside `probes/socket` knows of them. Every call here is non-blocking.
 */
import { address, load, errno as lastErrno, os } from 'koffi';

// `null` is the running program itself: its libc is there under glibc and musl alike.
const libc = load(null);

const calls = {
  socket: libc.func('int socket(int, int, int)'),
  setsockopt: libc.func('int setsockopt(int, int, int, void*, uint32_t)'),
  getsockopt: libc.func('int getsockopt(int, int, int, void*, void*)'),
  bind: libc.func('int bind(int, void*, uint32_t)'),
  connect: libc.func('int connect(int, void*, uint32_t)'),
  close: libc.func('int close(int)'),
  ioctl: libc.func('int ioctl(int, unsigned long, void*)'),
  sendto: libc.func('long sendto(int, void*, size_t, int, void*, uint32_t)'),
  recvfrom: libc.func('long recvfrom(int, void*, size_t, int, void*, void*)'),
  recvmmsg: libc.func('int recvmmsg(int, void*, uint32_t, int, void*)'),
  clockGettime: libc.func('int clock_gettime(int, void*)'),
  getsockname: libc.func('int getsockname(int, void*, void*)'),
  inetNtop: libc.func('const char *inet_ntop(int, void*, void*, uint32_t)'),
  inetPton: libc.func('int inet_pton(int, const char*, void*)'),
} as const;

// EWOULDBLOCK is EAGAIN's other name on Linux; whoever judges an errno knows it by one.
const names = new Map(
  Object.entries(os.errno).flatMap(([name, number]) =>
    name === 'EWOULDBLOCK' ? [] : [[number, name] as const],
  ),
);

/** A refused system call; `code` is the errno's name (`EADDRNOTAVAIL`), `call` the call's. Linux errno(3). */
export class SystemCallError extends Error {
  readonly code: string;
  readonly call: string;
  constructor(call: string, code: string) {
    super(`${call} failed: ${code}`);
    this.name = 'SystemCallError';
    this.code = code;
    this.call = call;
  }
}

/** `ENETUNREACH` for 101, and so on. */
export function nameOfErrno(number: number): string {
  return names.get(number) ?? `errno-${number}`;
}

function errnoName(): string {
  return nameOfErrno(lastErrno());
}

function checked(call: string, result: number): number {
  if (result < 0) throw new SystemCallError(call, errnoName());
  return result;
}

/** Linux's numbers, x86-64 and arm64 alike (asm-generic). */
export const linux = {
  afInet: 2,
  afInet6: 10,
  afNetlink: 16,
  sockStream: 1,
  sockDgram: 2,
  sockRaw: 3,
  ipprotoIcmp: 1,
  ipprotoIcmp6: 58,
  ipprotoTcp: 6,
  ipprotoUdp: 17,
} as const;

const closeOnExecNonBlocking = 0o2004000;
const solSocket = 1;
const soReceiveBuffer = 8;
const soBindToDevice = 25;
const soTimestampNanos = 35;
const messageDontWait = 0x40;
const clockRealtime = 0;
const clockMonotonic = 1;
const clockBoottime = 7;

/** A new descriptor, non-blocking and closed on exec. Throws SystemCallError. */
export function openSocket(domain: number, type: number, protocol: number): number {
  return checked('socket', calls.socket(domain, type | closeOnExecNonBlocking, protocol));
}

/** Sends and receives by this device alone. Unprivileged since Linux 5.7. Throws SystemCallError (`ENODEV`). */
export function bindToDevice(fd: number, device: string): void {
  const name = Buffer.from(`${device}\0`);
  checked('setsockopt(SO_BINDTODEVICE)', calls.setsockopt(fd, solSocket, soBindToDevice, name, name.length));
}

const ipLevels = { 4: { level: 0, option: 10 }, 6: { level: 41, option: 23 } } as const;
const discoverByProbing = 3;

/**
 * From now on datagrams are never fragmented and may be as long as the interface takes, whatever a router said before
 * (IP_PMTUDISC_PROBE of ip(7), and the same of ipv6(7)). Throws SystemCallError.
 */
export function forbidFragments(fd: number, family: 4 | 6): void {
  const { level, option } = ipLevels[family];
  const value = Buffer.alloc(4);
  value.writeInt32LE(discoverByProbing);
  checked('setsockopt(MTU_DISCOVER)', calls.setsockopt(fd, level, option, value, 4));
}

/** Asks for room for bursts of replies; the kernel cuts it to net.core.rmem_max. */
export function widenReceiveBuffer(fd: number, bytes: number): void {
  const value = Buffer.alloc(4);
  value.writeInt32LE(bytes);
  calls.setsockopt(fd, solSocket, soReceiveBuffer, value, 4);
}

/** From now on each datagram comes with the wall time of its arrival, where the kernel can. SO_TIMESTAMPNS of socket(7). */
export function stampArrivals(fd: number): void {
  const value = Buffer.alloc(4);
  value.writeInt32LE(1);
  calls.setsockopt(fd, solSocket, soTimestampNanos, value, 4);
}

/** Throws SystemCallError (`EADDRNOTAVAIL`, `EADDRINUSE`, `EACCES`). */
export function bindAddress(fd: number, sockaddr: Buffer): void {
  checked('bind', calls.bind(fd, sockaddr, sockaddr.length));
}

/** The errno's name, or null where it is under way or done. */
export function connectAddress(fd: number, sockaddr: Buffer): string | null {
  if (calls.connect(fd, sockaddr, sockaddr.length) === 0) return null;
  const code = errnoName();
  return code === 'EINPROGRESS' ? null : code;
}

export function closeSocket(fd: number): void {
  calls.close(fd);
}

/** The errno's name, or null where the kernel took the whole datagram. Never queues. */
export function sendDatagram(fd: number, data: Buffer, sockaddr: Buffer): string | null {
  const sent: number = calls.sendto(fd, data, data.length, messageDontWait, sockaddr, sockaddr.length);
  return sent < 0 ? errnoName() : null;
}

const addressLength = Buffer.alloc(4);

/** Bytes read, or null where nothing waits (or the socket has an error, which its poll event tells). */
export function receiveDatagram(fd: number, into: Buffer, sockaddr: Buffer): number | null {
  addressLength.writeUInt32LE(sockaddr.length);
  const got: number = calls.recvfrom(fd, into, into.length, messageDontWait, sockaddr, addressLength);
  return got < 0 ? null : got;
}

/** Datagrams read into these `struct mmsghdr`s; 0 where nothing waits, or the socket had an error, which this takes. */
export function receiveDatagrams(fd: number, headers: Buffer, count: number): number {
  return Math.max(0, calls.recvmmsg(fd, headers, count, messageDontWait, null));
}

/** Like `receiveDatagram`, with the errno's name of an error that waited on the socket. */
export function receiveOrError(fd: number, into: Buffer, sockaddr: Buffer): number | string | null {
  const length = receiveDatagram(fd, into, sockaddr);
  if (length !== null) return length;
  const code = errnoName();
  return code === 'EAGAIN' ? null : code;
}

/** False where the kernel refuses. */
export function control(fd: number, request: number, argument: Buffer): boolean {
  return calls.ioctl(fd, request, argument) === 0;
}

/** Like `control`, with the errno's name thrown. */
export function controlChecked(call: string, fd: number, request: number, argument: Buffer): void {
  checked(call, calls.ioctl(fd, request, argument));
}

const soLinger = 13;
const soError = 4;

/** From now on closing resets the connection at once: no FIN, no TIME_WAIT. */
export function resetOnClose(fd: number): void {
  const linger = Buffer.alloc(8);
  linger.writeInt32LE(1, 0);
  calls.setsockopt(fd, solSocket, soLinger, linger, linger.length);
}

/** Takes the socket's pending error; the errno's name, or null where there is none. */
export function pendingError(fd: number): string | null {
  const value = Buffer.alloc(4);
  if (!readOption(fd, solSocket, soError, value)) return errnoName();
  const number = value.readInt32LE(0);
  return number === 0 ? null : nameOfErrno(number);
}

/** Puts the address of `target` into a struct of pointers; `target` must outlive the call that reads it. */
export function writePointer(struct: Buffer, offset: number, target: Buffer): void {
  struct.writeBigUInt64LE(address(target), offset);
}

/** Fills `into` with a socket option; false where the kernel refuses. */
export function readOption(fd: number, level: number, option: number, into: Buffer): boolean {
  addressLength.writeUInt32LE(into.length);
  return calls.getsockopt(fd, level, option, into, addressLength) === 0;
}

const timespec = Buffer.alloc(16);

/** A `struct timespec` of 64-bit fields as milliseconds. */
export function timespecMillis(from: Buffer): number {
  // Not BigInt: this runs for every reply. Seconds need more than 32 bits after 2038 only.
  return (from.readUInt32LE(0) + from.readUInt32LE(4) * 2 ** 32) * 1e3 + from.readUInt32LE(8) / 1e6;
}

/** CLOCK_REALTIME in milliseconds with fractions of a microsecond's order; only for comparison with kernel stamps. */
export function realtimeMillis(): number {
  calls.clockGettime(clockRealtime, timespec);
  return timespecMillis(timespec);
}

/** Fills in the socket's own address. Throws SystemCallError. */
export function localAddress(fd: number, into: Buffer): void {
  addressLength.writeUInt32LE(into.length);
  checked('getsockname', calls.getsockname(fd, into, addressLength));
}

/** Text of an address, as inet_ntop(3) writes it: IPv6 compressed, in small letters. */
export function formatAddress(domain: number, bytes: Buffer): string {
  const text = Buffer.alloc(64);
  const written: string | null = calls.inetNtop(domain, bytes, text, text.length);
  return written ?? '';
}

/** How long this machine has been asleep since it booted: what CLOCK_BOOTTIME has more than CLOCK_MONOTONIC. */
export function asleepMillis(): number {
  calls.clockGettime(clockMonotonic, timespec);
  const awake = timespecMillis(timespec);
  calls.clockGettime(clockBoottime, timespec);
  return timespecMillis(timespec) - awake;
}

/** The address' bytes in network order, or null where the text is none of that family. */
export function parseAddress(domain: number, text: string): Buffer | null {
  const bytes = Buffer.alloc(domain === linux.afInet ? 4 : 16);
  return calls.inetPton(domain, text, bytes) === 1 ? bytes : null;
}
