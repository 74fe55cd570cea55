/**
 * sd_notify(3): one datagram for each message to the socket that systemd names. Node opens no Unix datagram sockets, and
 * a child (`systemd-notify`) is not the main process that `NotifyAccess=main` wants, so libc does it, through koffi
 * (docs/decisions/0011).
 */
import { load, errno as lastErrno } from 'koffi';
import { type Millis, millis } from '../types/units.ts';

export interface ServiceManager {
  /** `READY=1`, `STATUS=…`: one datagram. Never waits; false: it was not taken (systemd's queue is full), say it again later. */
  send(lines: readonly string[]): boolean;
  /** Within this it wants to hear `WATCHDOG=1`; null: it has no watchdog for this process. */
  readonly watchdogMillis: Millis | null;
  close(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

const unixFamily = 1;
/** SOCK_DGRAM | SOCK_CLOEXEC. */
const datagram = 2 | 0o2000000;
/** MSG_DONTWAIT | MSG_NOSIGNAL. */
const noWaitNoSignal = 0x40 | 0x4000;
/** Room of `sun_path`, unix(7). */
const pathBytes = 108;

/** Null where nobody asked for notifications, or the socket is of a kind that is not a Unix one. Throws where libc refuses a socket. */
export function openServiceManager(environment: Environment, pid: number): ServiceManager | null {
  const address = socketAddress(environment['NOTIFY_SOCKET'] ?? '');
  if (address === null) return null;
  // `null` is the running program itself: its libc is there under glibc and musl alike.
  const libc = load(null);
  const socket = libc.func('int socket(int, int, int)');
  const sendto = libc.func('long sendto(int, void*, size_t, int, void*, uint32_t)');
  const close = libc.func('int close(int)');
  const fd: number = socket(unixFamily, datagram, 0);
  if (fd < 0) throw new Error(`no socket for systemd's notifications: errno ${lastErrno()}`);
  let open = true;
  return {
    send(lines) {
      if (!open) return false;
      const text = Buffer.from(lines.map((line) => `${line.replaceAll('\n', ' ')}\n`).join(''));
      const sent: number = sendto(fd, text, text.length, noWaitNoSignal, address, address.length);
      return sent === text.length;
    },
    watchdogMillis: watchdogOf(environment, pid),
    close() {
      if (open) close(fd);
      open = false;
    },
  };
}

/** `struct sockaddr_un`: a path, or with `@` first a name in the abstract space (its first byte is 0); null: neither. */
function socketAddress(name: string): Buffer | null {
  if (!name.startsWith('/') && !name.startsWith('@')) return null;
  const path = Buffer.from(name);
  if (path.length >= pathBytes) return null;
  if (name.startsWith('@')) path[0] = 0;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(unixFamily);
  return Buffer.concat(name.startsWith('@') ? [family, path] : [family, path, Buffer.alloc(1)]);
}

/** WATCHDOG_USEC, where WATCHDOG_PID does not say that another process is meant; sd_watchdog_enabled(3). */
function watchdogOf(environment: Environment, pid: number): Millis | null {
  const meant = environment['WATCHDOG_PID'];
  if (meant !== undefined && meant !== String(pid)) return null;
  const micros = Number(environment['WATCHDOG_USEC'] ?? '');
  return Number.isSafeInteger(micros) && micros > 0 ? millis(micros / 1000) : null;
}
