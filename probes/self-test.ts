/**
 * Pings this machine over `lo` before anything is believed: the kernel's default refuses ICMP sockets to
 * everybody, and system calls from Node are worth a proof on each machine.
 */
import type { Family } from '../src/types/units.ts';
import { openIcmpSocket } from './socket/icmp-socket.ts';
import { socketAddress } from './socket/address.ts';
import { SystemCallError } from './socket/libc.ts';

export type SelfTest =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly code: string; readonly text: string };

const loopback = { 4: '127.0.0.1', 6: '::1' } as const;
const loopbackIndex = 1;
const patienceMillis = 2000;
const lookMillis = 10;

/** One echo to this machine by a device-bound socket, within two seconds. Does not throw for a refusing kernel. */
export async function testFamily(family: Family): Promise<SelfTest> {
  try {
    const answered = await echo(family);
    return answered ? { kind: 'passed' } : failed(family, 'no-reply');
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return failed(family, error.code);
  }
}

function echo(family: Family): Promise<boolean> {
  const address = loopback[family];
  const message = Buffer.alloc(64, 0x43);
  message.fill(0, 0, 8);
  message[0] = family === 4 ? 8 : 128;
  return new Promise((resolve, reject) => {
    const socket = openIcmpSocket({
      family,
      interface: 'lo',
      source: address,
      index: loopbackIndex,
      unfragmented: false,
      identifier: 1 + Math.floor(Math.random() * 65535),
      onReply: (reply) => {
        if (reply.message.length === message.length) done(true);
      },
    });
    let looksLeft = patienceMillis / lookMillis;
    const timer = setInterval(() => {
      socket.drain();
      looksLeft -= 1;
      if (looksLeft <= 0) done(false);
    }, lookMillis);
    const done = (answered: boolean): void => {
      clearInterval(timer);
      socket.close();
      resolve(answered);
    };
    const errno = socket.send(message, socketAddress(family, address, 1, loopbackIndex));
    if (errno === null) return;
    clearInterval(timer);
    socket.close();
    reject(new SystemCallError('sendto', errno));
  });
}

function failed(family: Family, code: string): SelfTest {
  const what = `the prober cannot ping ${loopback[family]} over lo (${code})`;
  return { kind: 'failed', code, text: `${what}: ${adviceFor(family, code)}` };
}

function adviceFor(family: Family, code: string): string {
  switch (code) {
    case 'EACCES': {
      const group = process.getegid?.() ?? 0;
      const sysctl = `sysctl -w net.ipv4.ping_group_range="${group} ${group}"`;
      return `the kernel gives ICMP sockets only to groups in net.ipv4.ping_group_range, for IPv6 too; run: ${sysctl}`;
    }
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
    case 'EINVAL': {
      const mend = family === 4 ? '' : ' && sysctl -w net.ipv6.conf.lo.disable_ipv6=0';
      return `the loopback interface is down or lacks that address; run: ip link set lo up${mend}`;
    }
    case 'EAFNOSUPPORT':
      return `this kernel has no IPv${family}; remove the IPv${family} addresses from the config or enable it`;
    case 'no-reply':
      return 'nothing came back; look for a packet filter on lo and for net.ipv4.icmp_echo_ignore_all';
    default:
      return 'see socket(7) and icmp(7) for that errno; ICMP probes wait until it works';
  }
}
