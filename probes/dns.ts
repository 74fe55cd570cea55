/**
 * A DNS question over UDP (RFC 1035), from a fresh port and with a random id. Any answer to it shows the path; an rcode
 * other than NOERROR and NXDOMAIN is told as wrong, and so is a port that nobody listens on. Replies carry the kernel's
 * stamp, so they are read in bulk as those of echoes are.
 */
import type { DnsAsk } from '../src/types/outcome.ts';
import { instant, millis } from '../src/types/units.ts';
import { encodeQuestion, rcodeOf } from './dns-message.ts';
import { type Deck, type Flight, type NotRun, type ProbeKindEngine } from './flight.ts';
import { notRun, notRunOfErrno, slowSendMillis } from './flight.ts';
import { nextNonce } from './icmp-lane.ts';
import { roundTrip } from './round-trip.ts';
import { SystemCallError } from './socket/libc.ts';
import { type UdpQuestion, openUdpQuestion } from './socket/udp-socket.ts';
import type { Stream } from './stream.ts';

const goodRcodes: readonly string[] = ['NOERROR', 'NXDOMAIN'];

/** All DNS questions of this process. */
export function makeDns(deck: Deck): ProbeKindEngine {
  const waiting = new Set<Flight>();
  return {
    prepare: () => {
      for (const flight of waiting) if (!flight.stream.planned) flight.release({ kind: 'lost' });
    },
    send: (stream) => {
      const { dns } = stream.task;
      return dns === undefined ? notRun('send-failed') : ask(deck, waiting, stream, dns);
    },
    look: () => {
      for (const flight of waiting) flight.lastLook();
    },
    close: () => {
      for (const flight of waiting) flight.release({ kind: 'lost' });
    },
  };
}

function ask(deck: Deck, waiting: Set<Flight>, stream: Stream, dns: DnsAsk): Flight | NotRun {
  const { task, wayOut } = stream;
  const footing = wayOut.footing(deck.now(), Number.POSITIVE_INFINITY);
  if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
  const { family, source, address, port } = task;
  const question = encodeQuestion(nextNonce().high & 0xffff, dns);
  let socket: UdpQuestion;
  try {
    socket = openUdpQuestion({
      family,
      source,
      address,
      port,
      interface: task.interface,
      index: footing.index,
    });
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return notRunOfErrno(error.code);
  }
  const sentAt = deck.now();
  const errno = socket.send(question);
  const slow = deck.now() - sentAt > slowSendMillis;
  if (errno !== null || slow) {
    socket.close();
    return errno === null ? notRun('loop-lag') : notRunOfErrno(errno);
  }
  const flight: Flight = {
    stream,
    sentAt,
    deadlineAt: instant(sentAt + task.timeoutMillis),
    decided: false,
    lastLook: () => readAll(deck, flight, socket, question),
    release: () => {
      waiting.delete(flight);
      socket.close();
    },
  };
  waiting.add(flight);
  return flight;
}

function readAll(deck: Deck, flight: Flight, socket: UdpQuestion, question: Buffer): void {
  while (!flight.decided) {
    const news = socket.next();
    if (news === null) return;
    if (news.kind === 'error') judgeError(deck, flight, news.errno);
    else judgeMessage(deck, flight, rcodeOf(news.message, question), news.agoMillis);
  }
}

function judgeMessage(deck: Deck, flight: Flight, rcode: string | null, agoMillis: number): void {
  if (rcode === null) {
    deck.stray();
    return;
  }
  const rttMillis = roundTrip(flight.sentAt, deck.now(), agoMillis);
  if (rttMillis > flight.deadlineAt - flight.sentAt) {
    deck.stray();
    deck.giveUp(flight);
    return;
  }
  const wrong = goodRcodes.includes(rcode) ? {} : { wrong: `rcode ${rcode}` };
  deck.decide(flight, { kind: 'answered', rttMillis, ...wrong });
}

/** A port that nobody listens on answers; a router's "unreachable" is a loss (RFC 1122 section 4.1.3.3). */
function judgeError(deck: Deck, flight: Flight, errno: string): void {
  switch (errno) {
    case 'ECONNREFUSED': {
      const rttMillis = millis(Math.min(deck.now() - flight.sentAt, flight.stream.task.timeoutMillis));
      deck.decide(flight, { kind: 'answered', rttMillis, wrong: 'port closed' });
      return;
    }
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      deck.giveUp(flight);
      return;
    default:
      deck.decide(flight, notRunOfErrno(errno));
  }
}
