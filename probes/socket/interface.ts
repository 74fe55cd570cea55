/** Whether a probe can leave: the interface is there and up, and the source address stands on this machine. */
import type { Family } from '../../src/types/units.ts';
import type { NotRunReason } from '../../src/types/outcome.ts';
import { domainOf, socketAddress } from './address.ts';
import {
  SystemCallError,
  bindAddress,
  bindToDevice,
  closeSocket,
  control,
  controlChecked,
  linux,
  openSocket,
  writePointer,
} from './libc.ts';

/** The interface's index changes when it is deleted and created again: sockets bound before then are dead. */
export type Footing =
  | { readonly kind: 'fit'; readonly index: number }
  | { readonly kind: 'unfit'; readonly why: NotRunReason; readonly errno: string };

// Linux netdevice(7).
const getIndex = 0x8933;
const getFlags = 0x8913;
const getMtu = 0x8921;
const ethtool = 0x8946;
const ethtoolGetLink = 0x0a;
const flagUp = 0x1;
const flagRunning = 0x40;
const interfaceNameBytes = 16;

/** Looks now; four to six system calls and no packet. Never throws for the state of the machine. */
export function inspectFooting(device: string, family: Family, source: string): Footing {
  let fd = -1;
  try {
    fd = openSocket(domainOf(family), linux.sockDgram, 0);
    const index = interfaceIndex(fd, device);
    if (index === null) return { kind: 'unfit', why: 'interface-missing', errno: 'ENODEV' };
    const down = interfaceDown(fd, device);
    if (down !== null) return { kind: 'unfit', why: 'interface-down', errno: down };
    bindToDevice(fd, device);
    // A UDP port that is never used: only whether the kernel knows the address on this device is asked.
    bindAddress(fd, socketAddress(family, source, 0, index));
    return { kind: 'fit', index };
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return { kind: 'unfit', why: reasonOf(error), errno: error.code };
  } finally {
    if (fd !== -1) closeSocket(fd);
  }
}

/** Bytes that an IP packet may have on that interface. Throws SystemCallError (`ENODEV`). */
export function interfaceMtu(device: string): number {
  const fd = openSocket(linux.afInet, linux.sockDgram, 0);
  try {
    const struct = request(device);
    controlChecked('ioctl(SIOCGIFMTU)', fd, getMtu, struct);
    return struct.readInt32LE(interfaceNameBytes);
  } finally {
    closeSocket(fd);
  }
}

function reasonOf(error: SystemCallError): NotRunReason {
  if (error.code === 'ENODEV') return 'interface-missing';
  if (error.call === 'bind') return 'source-missing';
  return 'send-failed';
}

function request(device: string): Buffer {
  const struct = Buffer.alloc(40);
  struct.write(device.slice(0, interfaceNameBytes - 1), 0, 'latin1');
  return struct;
}

function interfaceIndex(fd: number, device: string): number | null {
  const struct = request(device);
  return control(fd, getIndex, struct) ? struct.readInt32LE(interfaceNameBytes) : null;
}

function interfaceDown(fd: number, device: string): string | null {
  const struct = request(device);
  controlChecked('ioctl(SIOCGIFFLAGS)', fd, getFlags, struct);
  const flags = struct.readUInt16LE(interfaceNameBytes);
  if ((flags & flagUp) === 0) return 'ENETDOWN';
  // Up without carrier: the kernel drops what is sent without a word, so it must be seen here.
  return (flags & flagRunning) === 0 || !hasCarrier(fd, device) ? 'ENOLINK' : null;
}

/** IFF_RUNNING follows the carrier up to a second late; the driver itself knows at once. Unknown counts as there. */
function hasCarrier(fd: number, device: string): boolean {
  const struct = request(device);
  const value = Buffer.alloc(8);
  value.writeUInt32LE(ethtoolGetLink, 0);
  writePointer(struct, interfaceNameBytes, value);
  return !control(fd, ethtool, struct) || value.readUInt32LE(4) !== 0;
}
