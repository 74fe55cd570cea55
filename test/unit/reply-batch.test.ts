/** Datagrams of lo, read as replies are: many at once, each with its sender and the kernel's stamp. */
import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { socketAddress } from '../../probes/socket/address.ts';
import { bindAddress, closeSocket, linux, localAddress, openSocket } from '../../probes/socket/libc.ts';
import { stampArrivals } from '../../probes/socket/libc.ts';
import { type Reply, makeReplyBatch } from '../../probes/socket/reply-batch.ts';
import type { Family } from '../../src/types/units.ts';

const batches = { 4: makeReplyBatch(4), 6: makeReplyBatch(6) } as const;
const loopback = { 4: '127.0.0.1', 6: '::1' } as const;
let fd = -1;
let sender: Socket | null = null;
beforeEach(() => {
  fd = -1;
});
afterEach(() => {
  if (fd !== -1) closeSocket(fd);
  sender?.close();
  sender = null;
});

/** Opens the receiving socket; how to send it something. */
function open(family: Family): (message: Buffer) => Promise<void> {
  const own = socketAddress(family, loopback[family], 0, 1);
  fd = openSocket(family === 4 ? linux.afInet : linux.afInet6, linux.sockDgram, linux.ipprotoUdp);
  bindAddress(fd, own);
  localAddress(fd, own);
  const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
  sender = socket;
  return (message) =>
    new Promise((resolve, reject) => {
      socket.send(message, own.readUInt16BE(2), loopback[family], (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
}

/** Reads until nothing waits, with copies of what is valid inside the callback only. */
function readAll(family: Family): { readonly replies: readonly Reply[]; readonly reads: number } {
  const replies: Reply[] = [];
  let reads = 1;
  while (batches[family].read(fd, (reply) => replies.push(copied(reply)))) reads += 1;
  return { replies, reads };
}

function copied(reply: Reply): Reply {
  return { ...reply, message: Buffer.from(reply.message), from: Buffer.from(reply.from) };
}

test.each([4, 6] as const)('IPv%i: a hundred that wait come in order, by two reads', async (family) => {
  const send = open(family);
  for (let number = 0; number < 100; number += 1) await send(Buffer.alloc(16 + number, number));
  const { replies, reads } = readAll(family);
  expect(reads).toBe(2);
  expect(replies.map(({ message }) => message[0])).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(replies.map(({ message }) => message.length)).toEqual(
    Array.from({ length: 100 }, (_, index) => 16 + index),
  );
  const bytes = family === 4 ? [127, 0, 0, 1] : [...Array.from({ length: 15 }, () => 0), 1];
  for (const { from } of replies) expect([...from]).toEqual(bytes);
});

test('nothing that waits is no reply', () => {
  open(4);
  expect(readAll(4)).toEqual({ replies: [], reads: 1 });
});

test('what is longer than there is room for is cut', async () => {
  const send = open(4);
  await send(Buffer.alloc(9000, 7));
  expect(readAll(4).replies.map(({ message }) => message.length)).toEqual([128]);
});

test('each says how long ago it arrived, and a socket without stamps says nothing', async () => {
  const send = open(4);
  await send(Buffer.from('before'));
  expect(readAll(4).replies.map(({ agoMillis }) => agoMillis)).toEqual([0]);
  stampArrivals(fd);
  const end = performance.now() + 30_000;
  for (;;) {
    const beganAt = performance.now();
    await send(Buffer.from('first'));
    const firstAt = performance.now();
    while (performance.now() < firstAt + 50);
    await send(Buffer.from('second'));
    const [first = 0, second = 0] = readAll(4).replies.map(({ agoMillis }) => agoMillis);
    expect(first).toBeLessThan(performance.now() - beganAt + 1);
    // The kernel begins to stamp a moment after it is asked to, where nobody else on the machine wants stamps.
    if (first < 50 && performance.now() < end) continue;
    expect(first - second).toBeGreaterThan(49);
    return;
  }
});
