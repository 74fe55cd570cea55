/** One ICMP socket with its own sequence numbers and the echoes that wait on it. */
import type { WayOut } from './way-out.ts';
import { type IcmpSocket, openIcmpSocket } from './socket/icmp-socket.ts';
import { interfaceMtu } from './socket/interface.ts';
import type { Reply } from './socket/reply-batch.ts';
import { type Family, type Instant, instant } from '../src/types/units.ts';

/** 64 random bits that a reply must repeat. */
export interface Nonce {
  readonly high: number;
  readonly low: number;
}

export interface Lane<Echo> {
  /** Of the interface that it is bound to. */
  readonly index: number;
  readonly waiting: Map<number, Echo>;
  openedAt: Instant;
  lossesInRow: number;
  nextSequence(): number;
  /** Null where the kernel took it, else the errno's name. */
  send(sequence: number, nonce: Nonce, destination: Buffer): string | null;
  /** The waiting echo that this reply answers by type, sequence and nonce; the sender is the caller's to check. */
  match(message: Buffer): Echo | null;
  drain(): void;
  close(): void;
}

export interface LaneEvents<Echo> {
  onReply(lane: Lane<Echo>, reply: Reply): void;
}

/** small: 64 bytes after the IP header, ping's own size, and enough that no target takes it for empty. full: what the link holds. */
export type EchoSize = 'small' | 'full';

const smallEchoBytes = 64;
const headerBytes = { 4: 20, 6: 40 } as const;
const sequenceOffset = 6;
const nonceOffset = 8;
const requestType = { 4: 8, 6: 128 } as const;
const replyType = { 4: 0, 6: 129 } as const;

/** Throws SystemCallError. */
export function openLane<Echo extends { readonly nonce: Nonce }>(
  wayOut: WayOut,
  index: number,
  size: EchoSize,
  events: LaneEvents<Echo>,
): Lane<Echo> {
  const bytes =
    size === 'small' ? smallEchoBytes : interfaceMtu(wayOut.interface) - headerBytes[wayOut.family];
  const message = Buffer.alloc(bytes, 0x43);
  message.fill(0, 0, nonceOffset);
  message[0] = requestType[wayOut.family];
  let sequence = randomWord() & 0xffff;
  const socket: IcmpSocket = openIcmpSocket({
    family: wayOut.family,
    interface: wayOut.interface,
    source: wayOut.source,
    index,
    unfragmented: size === 'full',
    identifier: (randomWord() % 65535) + 1,
    onReply: (reply) => events.onReply(lane, reply),
  });
  const lane: Lane<Echo> = {
    index,
    waiting: new Map(),
    openedAt: instant(0),
    lossesInRow: 0,
    nextSequence: () => {
      sequence = (sequence + 1) & 0xffff;
      return sequence;
    },
    send: (number, nonce, destination) => {
      message.writeUInt16BE(number, sequenceOffset);
      message.writeUInt32BE(nonce.high, nonceOffset);
      message.writeUInt32BE(nonce.low, nonceOffset + 4);
      return socket.send(message, destination);
    },
    match: (reply) => echoOf(reply, wayOut.family, lane.waiting),
    drain: () => socket.drain(),
    close: () => socket.close(),
  };
  return lane;
}

/** The open echo that a reply answers, by its type, sequence number and nonce; null: none. Any bytes may come. */
export function echoOf<Echo extends { readonly nonce: Nonce }>(
  reply: Buffer,
  family: Family,
  waiting: ReadonlyMap<number, Echo>,
): Echo | null {
  if (reply.length < nonceOffset + 8 || reply[0] !== replyType[family]) return null;
  const echo = waiting.get(reply.readUInt16BE(sequenceOffset));
  if (echo === undefined) return null;
  const same =
    echo.nonce.high === reply.readUInt32BE(nonceOffset) &&
    echo.nonce.low === reply.readUInt32BE(nonceOffset + 4);
  return same ? echo : null;
}

const words = new Uint32Array(1024);
let used = words.length;

/** 32 random bits; drawn from the system in batches, since every probe takes two. */
function randomWord(): number {
  if (used === words.length) {
    crypto.getRandomValues(words);
    used = 0;
  }
  const word = words[used] ?? 0;
  used += 1;
  return word;
}

export function nextNonce(): Nonce {
  return { high: randomWord(), low: randomWord() };
}
