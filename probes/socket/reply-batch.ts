/**
 * The replies that wait on a socket, many by one system call, each with the kernel's stamp of its arrival: recvmmsg(2)
 * into memory that is laid out once. Its structs are those of 64-bit Linux.
 */
import type { Family, Instant } from '../../src/types/units.ts';
import { monotonicNow } from '../clock.ts';
import { addressBytes } from './address.ts';
import { realtimeMillis, receiveDatagrams, timespecMillis, writePointer } from './libc.ts';

/** One echo reply's message as the socket gave it. Valid inside the callback only. */
export interface Reply {
  /** ICMP header and payload, without the IP header; what goes beyond `messageBytes` is cut. */
  readonly message: Buffer;
  /** Address bytes of the sender. */
  readonly from: Buffer;
  readonly readAt: Instant;
  /** How long before `readAt` the kernel received it. 0 where it does not say. */
  readonly agoMillis: number;
}

export interface ReplyBatch {
  /** Reads replies and calls back with each; false: no more waited. It serves one socket after the other. */
  read(fd: number, onReply: (reply: Reply) => void): boolean;
}

/** Where the kernel writes one reply. */
interface Slot {
  /** struct mmsghdr. */
  readonly header: Buffer;
  readonly message: Buffer;
  readonly from: Buffer;
  readonly stamp: Buffer;
}

const batchSize = 64;
const headerBytes = 64;
const inHeader = {
  sender: 0,
  senderLength: 8,
  vector: 16,
  vectors: 24,
  control: 32,
  controlLength: 40,
  length: 56,
};
/** What a header points at: struct iovec, struct cmsghdr with a struct timespec, struct sockaddr, the message. */
const inSlot = { vector: 0, control: 16, stamp: 32, sender: 48, message: 80 };
const controlBytes = 32;
const senderBytes = { 4: 16, 6: 28 } as const;
/** A small echo whole. Of a full-size one the begin, where the nonce is. */
const messageBytes = 128;
const slotBytes = inSlot.message + messageBytes;

export function makeReplyBatch(family: Family): ReplyBatch {
  // One block: the kernel writes where its pointers say, and nothing that they point at is freed before it.
  const memory = Buffer.alloc(batchSize * (headerBytes + slotBytes));
  const slots = Array.from({ length: batchSize }, (_, place) => layOut(memory, place, family));
  return {
    read: (fd, onReply) => {
      const count = receiveDatagrams(fd, memory, batchSize);
      if (count === 0) return false;
      // In this order a pause between the two makes round trips longer, never shorter than they were.
      const wallMillis = realtimeMillis();
      const readAt = monotonicNow();
      for (let place = 0; place < count; place += 1) {
        const slot = slots[place];
        if (slot !== undefined) onReply(replyIn(slot, family, readAt, wallMillis));
      }
      return count === batchSize;
    },
  };
}

/** All headers come first, as recvmmsg wants them. */
function layOut(memory: Buffer, place: number, family: Family): Slot {
  const header = memory.subarray(place * headerBytes, (place + 1) * headerBytes);
  const begin = batchSize * headerBytes + place * slotBytes;
  const slot = memory.subarray(begin, begin + slotBytes);
  const message = slot.subarray(inSlot.message);
  writePointer(slot, inSlot.vector, message);
  slot.writeUInt32LE(messageBytes, inSlot.vector + 8);
  writePointer(header, inHeader.sender, slot.subarray(inSlot.sender));
  writePointer(header, inHeader.vector, slot.subarray(inSlot.vector));
  header.writeUInt32LE(1, inHeader.vectors);
  writePointer(header, inHeader.control, slot.subarray(inSlot.control));
  allowLengths(header, family);
  const from = addressBytes(family, slot.subarray(inSlot.sender));
  return { header, message, from, stamp: slot.subarray(inSlot.stamp) };
}

/** The kernel puts the lengths that it used in their place. */
function allowLengths(header: Buffer, family: Family): void {
  header.writeUInt32LE(senderBytes[family], inHeader.senderLength);
  header.writeUInt32LE(controlBytes, inHeader.controlLength);
}

function replyIn(slot: Slot, family: Family, readAt: Instant, wallMillis: number): Reply {
  const { header, from, stamp } = slot;
  const isStamped = header.readUInt32LE(inHeader.controlLength) === controlBytes;
  const message = slot.message.subarray(0, header.readUInt32LE(inHeader.length));
  allowLengths(header, family);
  return { message, from, readAt, agoMillis: isStamped ? wallMillis - timespecMillis(stamp) : 0 };
}
