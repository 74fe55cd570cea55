/** Which source address the kernel itself would take, for whoever cannot be told one. Sends nothing. */
import type { Family } from '../../src/types/units.ts';
import { addressBytes, domainOf, socketAddress } from './address.ts';
import {
  SystemCallError,
  bindToDevice,
  closeSocket,
  connectAddress,
  formatAddress,
  linux,
  localAddress,
  openSocket,
} from './libc.ts';

/** As the kernel writes it. Throws SystemCallError where there is no way. */
export function sourceTowards(family: Family, address: string, device: string, index: number): string {
  const fd = openSocket(domainOf(family), linux.sockDgram, 0);
  try {
    bindToDevice(fd, device);
    const errno = connectAddress(fd, socketAddress(family, address, 9, index));
    if (errno !== null) throw new SystemCallError('connect', errno);
    const own = Buffer.alloc(family === 4 ? 16 : 28);
    localAddress(fd, own);
    return formatAddress(domainOf(family), addressBytes(family, own));
  } finally {
    closeSocket(fd);
  }
}
