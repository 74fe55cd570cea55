/**
 * ICMP echo. Each uplink and family has a few sockets (lanes) that its streams share: few enough to be cheap, enough
 * that one identifier which some middlebox has stuck in a dead session does not hide the path, and each far below the
 * rate at which a receive buffer overflows. A reply counts only from the address that was asked, on the socket that
 * asked, with the sequence number and the 64-bit nonce of a probe that is still open (RFC 792, RFC 4443).
 */
import type { Outcome } from '../src/types/outcome.ts';
import { type Instant, instant } from '../src/types/units.ts';
import { type Deck, type Flight, type NotRun, type ProbeKindEngine } from './flight.ts';
import { notRun, notRunOfErrno, slowSendMillis } from './flight.ts';
import { type EchoSize, type Lane, type Nonce, nextNonce, openLane } from './icmp-lane.ts';
import { roundTrip } from './round-trip.ts';
import type { Reply } from './socket/reply-batch.ts';
import { SystemCallError } from './socket/libc.ts';
import { type Stream, destinationOf } from './stream.ts';
import type { WayOut } from './way-out.ts';

/** An echo that waits for its reply. */
interface Echo extends Flight {
  readonly nonce: Nonce;
  readonly address: Buffer;
}

interface Lanes {
  readonly size: EchoSize;
  readonly wayOut: WayOut;
  readonly lanes: (Lane<Echo> | null)[];
  /** How many the plan's rate asks for. */
  wanted: number;
  /** No new socket before this, after one could not be opened. */
  retryAt: Instant | null;
  fault: NotRun | null;
}

const probesPerSecondOfLane = 300;
const fewestLanes = 2;
const mostLanes = 32;
const reopenMillis = 500;
/** Losses in a row on one socket after which its identifier is given up for another, and how often at most. */
const lossesToRotate = 8;
const rotateMillis = 5000;

/** All ICMP echo of this process of one size; `full` is not fragmented, and its loss is the path's MTU, not its loss. */
export function makeIcmp(deck: Deck, size: EchoSize = 'small'): ProbeKindEngine {
  const byWayOut = new Map<WayOut, Lanes>();
  const lanesOf = (wayOut: WayOut): Lanes => {
    const known = byWayOut.get(wayOut);
    if (known !== undefined) return known;
    const made: Lanes = { size, wayOut, lanes: [], wanted: fewestLanes, retryAt: null, fault: null };
    byWayOut.set(wayOut, made);
    wayOut.onBroken((fault) => breakLanes(deck, made, fault));
    return made;
  };
  return {
    prepare: (streams) => {
      for (const lanes of byWayOut.values()) {
        const own = streams.filter((stream) => stream.wayOut === lanes.wayOut);
        if (own.length > 0) continue;
        closeLanes(lanes);
        byWayOut.delete(lanes.wayOut);
      }
      for (const wayOut of new Set(streams.map((stream) => stream.wayOut))) {
        const lanes = lanesOf(wayOut);
        lanes.wanted = lanesFor(streams.filter((stream) => stream.wayOut === wayOut));
        // One that still waits for replies closes with the last of them.
        for (const lane of lanes.lanes.splice(lanes.wanted)) if (lane?.waiting.size === 0) lane.close();
      }
    },
    send: (stream) => sendEcho(deck, lanesOf(stream.wayOut), stream),
    look: () => {
      for (const { lanes } of byWayOut.values()) {
        for (const lane of lanes) if (lane !== null && lane !== undefined) lane.drain();
      }
    },
    close: () => {
      for (const lanes of byWayOut.values()) closeLanes(lanes);
    },
  };
}

function lanesFor(streams: readonly Stream[]): number {
  const perSecond = streams.reduce((sum, stream) => sum + 1e3 / stream.task.intervalMillis, 0);
  return Math.min(mostLanes, Math.max(fewestLanes, Math.ceil(perSecond / probesPerSecondOfLane)));
}

function sendEcho(deck: Deck, lanes: Lanes, stream: Stream): Echo | NotRun {
  const lane = laneFor(deck, lanes, stream);
  if ('why' in lane) return lane;
  const { task } = stream;
  const destination = destinationOf(stream, lane.index);
  const nonce = nextNonce();
  const sequence = lane.nextSequence();
  const sentAt = deck.now();
  const errno = lane.send(sequence, nonce, destination.socketAddress);
  if (errno !== null) return refused(lanes, errno, deck.now());
  // The thread was put aside around the send: the packet left at a time that nobody knows. Its reply is a stray.
  if (deck.now() - sentAt > slowSendMillis) return notRun('loop-lag');
  const echo: Echo = {
    stream,
    sentAt,
    deadlineAt: instant(sentAt + task.timeoutMillis),
    decided: false,
    nonce,
    address: destination.bytes,
    lastLook: () => lane.drain(),
    release: (outcome) => releaseEcho(deck, lanes, lane, sequence, outcome),
  };
  lane.waiting.set(sequence, echo);
  return echo;
}

/** The state of interface and source explains an error better than its errno does. */
function refused(lanes: Lanes, errno: string, now: Instant): NotRun {
  const footing = lanes.wayOut.footing(now, 0);
  if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
  return notRunOfErrno(errno);
}

function laneFor(deck: Deck, lanes: Lanes, stream: Stream): Lane<Echo> | NotRun {
  const place = stream.ordinal % lanes.wanted;
  const lane = lanes.lanes[place];
  if (lane !== undefined && lane !== null) return lane;
  const now = deck.now();
  if (lanes.fault !== null && lanes.retryAt !== null && now < lanes.retryAt) return lanes.fault;
  const footing = lanes.wayOut.footing(now, Number.POSITIVE_INFINITY);
  if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
  try {
    const opened = openLane<Echo>(lanes.wayOut, footing.index, lanes.size, {
      onReply: (from, reply) => takeReply(deck, from, reply),
    });
    opened.openedAt = now;
    lanes.lanes[place] = opened;
    lanes.fault = null;
    return opened;
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    lanes.retryAt = instant(now + reopenMillis);
    lanes.fault =
      error.code === 'EACCES' ? notRun('self-test-failed', error.code) : notRunOfErrno(error.code);
    return lanes.fault;
  }
}

function takeReply(deck: Deck, lane: Lane<Echo>, reply: Reply): void {
  const echo = lane.match(reply.message);
  if (echo === null || !reply.from.equals(echo.address) || echo.decided) {
    deck.stray();
    return;
  }
  const rttMillis = roundTrip(echo.sentAt, reply.readAt, reply.agoMillis);
  if (rttMillis > echo.deadlineAt - echo.sentAt) {
    deck.stray();
    deck.giveUp(echo);
    return;
  }
  deck.decide(echo, { kind: 'answered', rttMillis });
}

function releaseEcho(deck: Deck, lanes: Lanes, lane: Lane<Echo>, sequence: number, outcome: Outcome): void {
  lane.waiting.delete(sequence);
  if (outcome.kind === 'answered') lane.lossesInRow = 0;
  if (outcome.kind === 'lost') lane.lossesInRow += 1;
  const place = lanes.lanes.indexOf(lane);
  const worn = lane.lossesInRow >= lossesToRotate && deck.now() - lane.openedAt > rotateMillis;
  // The next send on this place opens another one; this one stays open for the replies that it still waits for.
  if (worn && place !== -1) lanes.lanes[place] = null;
  if (lanes.lanes.includes(lane)) return;
  if (lane.waiting.size === 0) lane.close();
}

function breakLanes(deck: Deck, lanes: Lanes, fault: NotRun): void {
  const broken = lanes.lanes.splice(0);
  for (const lane of broken) {
    if (lane === null || lane === undefined) continue;
    for (const echo of lane.waiting.values()) deck.decide(echo, fault);
    lane.close();
  }
}

function closeLanes(lanes: Lanes): void {
  for (const lane of lanes.lanes.splice(0)) lane?.close();
}
