/**
 * ICMP echo by the package net-ping, for hosts where ICMP sockets are closed (net.ipv4.ping_group_range) and raw ones are
 * open (CAP_NET_RAW). The default is better in every respect (docs/decisions/0002); what this one needs besides:
 *
 *     two sessions of one process take each other's replies     an identifier of its own for each, bound to its device
 *     the source address cannot be set                          the kernel's choice is looked up; another one is not-run
 *     nobody looks at who replied                                checked here before the session hears of it
 *     its clock has whole milliseconds, taken after the send     our own, taken just before the packet goes
 *     it sends again by itself (retries: 1)                      retries: 0
 *     a callback may never come                                  the loop's own deadline; a stuck session is made anew
 *     a socket that was bound to a device is dead once the
 *       device was deleted                                       made anew
 *     a full local queue is hidden                               cannot be told: it reads as loss
 */
import { messageOf } from '../src/types/message-of.ts';
import { type Instant, instant, millis } from '../src/types/units.ts';
import { type Deck, type Flight, type NotRun, type ProbeKindEngine } from './flight.ts';
import { notRun, notRunOfErrno } from './flight.ts';
import type { PingCallback, PingModule, PingSession } from './net-ping-module.ts';
import { sourceTowards } from './socket/address-choice.ts';
import { SystemCallError } from './socket/libc.ts';
import type { Stream } from './stream.ts';
import type { WayOut } from './way-out.ts';

interface Waiting extends Flight {
  /** When the packet went; null: it waits in net-ping's queue. */
  leftAt: Instant | null;
}

interface Line {
  readonly wayOut: WayOut;
  readonly index: number;
  readonly session: PingSession;
  readonly openedAt: Instant;
  readonly waiting: Set<Waiting>;
  /** By the callback that net-ping was given: it hands it back with the request. */
  readonly byCallback: WeakMap<PingCallback, Waiting>;
  /** Deadlines that passed without a callback, in a row. */
  overdue: number;
  closed: boolean;
}

const solSocket = 1;
const soBindToDevice = 25;
const packetBytes = 64;
/** Its raw socket reads one datagram in a turn of the loop, so replies may still wait in the kernel at the deadline. */
const readingMillis = 50;
/** What we send is longer in its queue than this only when our loop is busy. */
const queueMillis = 20;
const overdueToReopen = 5;
const reopenMillis = 1000;
const mostSessionId = 65_534;

/** All ICMP echo of this process by net-ping. */
export function makeNetPing(module: PingModule): (deck: Deck) => ProbeKindEngine {
  return (deck) => {
    const lines = new Map<WayOut, Line>();
    const known = new WeakSet<WayOut>();
    const drop = (line: Line): void => {
      if (lines.get(line.wayOut) === line) lines.delete(line.wayOut);
      closeLine(line);
    };
    return {
      prepare: (streams) => {
        for (const line of lines.values()) {
          if (!streams.some((stream) => stream.wayOut === line.wayOut)) drop(line);
        }
      },
      send: (stream) => {
        const { wayOut } = stream;
        if (!known.has(wayOut)) {
          known.add(wayOut);
          wayOut.onBroken((fault) => {
            const line = lines.get(wayOut);
            if (line === undefined) return;
            for (const flight of line.waiting) deck.decide(flight, fault);
            drop(line);
          });
        }
        const line = lines.get(wayOut) ?? openLine(module, deck, wayOut, drop);
        if ('why' in line) return line;
        lines.set(wayOut, line);
        return sendEcho(deck, line, stream, drop);
      },
      look: () => undefined,
      close: () => {
        for (const line of lines.values()) drop(line);
      },
    };
  };
}

function openLine(module: PingModule, deck: Deck, wayOut: WayOut, drop: (line: Line) => void): Line | NotRun {
  const footing = wayOut.footing(deck.now(), Number.POSITIVE_INFINITY);
  if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
  try {
    const session = module.createSession({
      networkProtocol: wayOut.family === 4 ? 1 : 2,
      sessionId: 1 + Math.floor(Math.random() * mostSessionId),
      packetSize: packetBytes,
      retries: 0,
      // Longer than any deadline of ours, so that its time-out is never the one that counts.
      timeout: 60_000,
    });
    const device = Buffer.from(`${wayOut.interface}\0`);
    const socket = session.getSocket();
    socket.setOption(solSocket, soBindToDevice, device, device.length);
    const line: Line = {
      wayOut,
      index: footing.index,
      session,
      openedAt: deck.now(),
      waiting: new Set(),
      byCallback: new WeakMap(),
      overdue: 0,
      closed: false,
    };
    listen(deck, line, drop);
    return line;
  } catch (error) {
    // Its errors are sentences of strerror(3), without a code.
    return notRun('self-test-failed', messageOf(error));
  }
}

function listen(deck: Deck, line: Line, drop: (line: Line) => void): void {
  const { session } = line;
  const socket = session.getSocket();
  socket.removeAllListeners('message');
  socket.on('message', (message, source) => {
    // An error of a router comes from the router; a reply must come from the target that was asked.
    const sequence = sequenceOfReply(line.wayOut, message);
    const asked = sequence === null ? undefined : session.reqs[sequence];
    if (sequence !== null && asked?.target !== source) deck.stray();
    else session.onSocketMessage(message, source);
  });
  session.on('error', () => drop(line));
  session.onBeforeSocketSend = ({ callback }) => {
    const flight = line.byCallback.get(callback);
    if (flight !== undefined) flight.leftAt = deck.now();
  };
}

/** Null: it is no echo reply. IPv4 comes with its IP header, IPv6 without. */
function sequenceOfReply({ family }: WayOut, message: Buffer): number | null {
  const header = family === 6 ? 0 : ((message[0] ?? 0) & 0x0f) * 4;
  if (message.length < header + 8 || message[header] !== (family === 6 ? 129 : 0)) return null;
  return message.readUInt16BE(header + 6);
}

function sendEcho(deck: Deck, line: Line, stream: Stream, drop: (line: Line) => void): Waiting | NotRun {
  const { task } = stream;
  const fault = faultOfSource(line, stream);
  if (fault !== null) return fault;
  const sentAt = deck.now();
  const flight: Waiting = {
    stream,
    sentAt,
    leftAt: null,
    deadlineAt: instant(sentAt + task.timeoutMillis + readingMillis),
    decided: false,
    lastLook: () => {
      if (flight.leftAt === null) deck.decide(flight, notRun('send-queue'));
    },
    release: ({ kind }) => {
      line.waiting.delete(flight);
      line.overdue = kind === 'lost' || flight.leftAt === null ? line.overdue + 1 : 0;
      const stuck = line.overdue >= overdueToReopen && deck.now() - line.openedAt > reopenMillis;
      if (stuck || (line.closed && line.waiting.size === 0)) drop(line);
    },
  };
  line.waiting.add(flight);
  const callback: PingCallback = (error) => judge(deck, flight, error);
  line.byCallback.set(callback, flight);
  line.session.pingHost(task.address, callback);
  return flight;
}

/** It cannot set a source: what the kernel would choose must be the uplink's own. */
function faultOfSource({ wayOut, index }: Line, { task }: Stream): NotRun | null {
  try {
    const chosen = sourceTowards(task.family, task.address, wayOut.interface, index);
    return chosen === wayOut.source ? null : notRun('wrong-uplink', `source ${chosen}`);
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return notRunOfErrno(error.code);
  }
}

function judge(deck: Deck, flight: Waiting, error: Error | null): void {
  if (flight.decided) return;
  const { leftAt } = flight;
  // Never sent, or its socket is closed: nothing of the path.
  if (leftAt === null) return deck.decide(flight, notRun('send-failed', error?.message ?? 'unsent'));
  if (error !== null) return judgeError(deck, flight, error);
  if (leftAt - flight.sentAt > queueMillis || deck.laggedSince(flight.sentAt))
    return deck.decide(flight, notRun('loop-lag'));
  const rttMillis = millis(deck.now() - leftAt);
  if (rttMillis <= flight.stream.task.timeoutMillis)
    return deck.decide(flight, { kind: 'answered', rttMillis });
  deck.stray();
  return deck.giveUp(flight);
}

/** What a router says of the target is a loss; what our own kernel says is not. */
function judgeError(deck: Deck, flight: Waiting, error: Error): void {
  const ofRouter =
    /^(DestinationUnreachable|TimeExceeded|PacketTooBig|ParameterProblem|RequestTimedOut)Error$/;
  if (ofRouter.test(error.name)) deck.giveUp(flight);
  else if (!/^(RedirectReceived|SourceQuench)Error$/.test(error.name))
    deck.decide(flight, notRun('send-failed', error.message));
}

function closeLine(line: Line): void {
  if (line.closed) return;
  line.closed = true;
  line.waiting.clear();
  try {
    line.session.close();
  } catch {
    // A raw socket that failed has closed itself, and says so by throwing.
  }
}
