/**
 * Delays forwarded packets where the kernel has no netem: a process in the carrier's namespace that opens a TUN device
 * and gives each packet back to the kernel after `delay ± jitter`. Policy rules send the chosen traffic into it.
 * Arguments: interface, delay and jitter in ms. It runs until it is killed; the device goes with it.
 */
import { openSync, read, writeSync } from 'node:fs';
import koffi from 'koffi';

const [name = '', delayText = '0', jitterText = '0'] = process.argv.slice(2);
const delayMillis = Number(delayText);
const jitterMillis = Number(jitterText);

/** linux/if_tun.h: TUNSETIFF; no packet information, so what is read is the bare IP packet. */
const tunSetIff = 0x400454ca;
const flags = 0x0001 | 0x1000;

/** sched(7): runs before all that is not real-time. */
const schedFifo = 1;

const libc = koffi.load('libc.so.6');
comeFirst();
const tun = openSync('/dev/net/tun', 'r+');
attach(tun, name);
next();

/** A busy machine would make a delay of 200 ms one of seconds, which is another fault. Where it is not allowed, so be it. */
function comeFirst(): void {
  const setScheduler = libc.func('int sched_setscheduler(int pid, int policy, void *param)');
  const param = Buffer.alloc(4);
  param.writeInt32LE(1, 0);
  setScheduler(0, schedFifo, param);
}

function attach(descriptor: number, device: string): void {
  const ioctl = libc.func('int ioctl(int fd, unsigned long request, void *argument)');
  const request = Buffer.alloc(40);
  request.write(device, 0, 15, 'latin1');
  request.writeInt16LE(flags, 16);
  if (ioctl(descriptor, tunSetIff, request) !== 0) {
    throw new Error(`TUNSETIFF ${device} failed with errno ${koffi.errno()}`);
  }
}

/** One read waits in the thread pool at a time; each packet gets a timer of its own, so jitter reorders as networks do. */
function next(): void {
  const packet = Buffer.allocUnsafe(2048);
  read(tun, packet, 0, packet.length, null, (error, length) => {
    if (error !== null) throw error;
    const spread = (Math.random() * 2 - 1) * jitterMillis;
    setTimeout(giveBack, Math.max(0, delayMillis + spread), packet.subarray(0, length));
    next();
  });
}

function giveBack(packet: Buffer): void {
  try {
    writeSync(tun, packet);
  } catch {
    // The device is down while the fault is being mended; a delayed packet that is lost then is of no interest.
  }
}
