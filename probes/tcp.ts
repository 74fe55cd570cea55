/**
 * The TCP handshake. One SYN is one trial: it times out before the kernel sends a second one (RFC 6298: after 1 s),
 * so a retransmission can neither hide a loss nor appear as a round trip of a second. A reset is an answer. A fresh
 * source port for every probe shows a carrier whose equal paths are half dead, which ICMP does not.
 */
import { instant, millis } from '../src/types/units.ts';
import { unreachable } from '../src/types/unreachable.ts';
import { judgeConnectionError } from './connection-error.ts';
import { type Deck, type Flight, type NotRun, type ProbeKindEngine } from './flight.ts';
import { notRun, notRunOfErrno } from './flight.ts';
import { SystemCallError } from './socket/libc.ts';
import { type Attempt, type AttemptOptions, type Handshake } from './socket/tcp-socket.ts';
import { openQuietAttempt, openWatchedAttempt } from './socket/tcp-socket.ts';
import type { Stream } from './stream.ts';
import type { WayOut } from './way-out.ts';

/** The longest wait for a handshake: below the kernel's first retransmission. */
const longestMillis = 900;

export function handshakeTimeoutMillis(timeoutMillis: number): number {
  return timeoutMillis >= 1000 ? longestMillis : timeoutMillis;
}

interface Tcp {
  readonly deck: Deck;
  readonly waiting: Set<Flight>;
  /** Streams whose last answer was a handshake; all others are watched by event, for the time of a reset. */
  readonly quiet: WeakSet<Stream>;
  readonly known: WeakSet<WayOut>;
}

/** All TCP handshakes of this process. */
export function makeTcp(deck: Deck): ProbeKindEngine {
  const tcp: Tcp = { deck, waiting: new Set(), quiet: new WeakSet(), known: new WeakSet() };
  const { waiting } = tcp;
  return {
    prepare: (streams) => {
      for (const stream of streams) watchWayOut(tcp, stream.wayOut);
      for (const flight of waiting) if (!flight.stream.planned) flight.release({ kind: 'lost' });
    },
    send: (stream) => sendSyn(tcp, stream),
    look: () => {
      for (const flight of waiting) flight.lastLook();
    },
    close: () => {
      for (const flight of waiting) flight.release({ kind: 'lost' });
    },
  };
}

function watchWayOut({ deck, waiting, known }: Tcp, wayOut: WayOut): void {
  if (known.has(wayOut)) return;
  known.add(wayOut);
  wayOut.onBroken((fault) => {
    for (const flight of waiting) if (flight.stream.wayOut === wayOut) deck.decide(flight, fault);
  });
}

function sendSyn(tcp: Tcp, stream: Stream): Flight | NotRun {
  const { task, wayOut } = stream;
  const sentAt = tcp.deck.now();
  const footing = wayOut.footing(sentAt, Number.POSITIVE_INFINITY);
  if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
  const { family, source, address, port } = task;
  const options = { family, source, address, port, interface: task.interface, index: footing.index };
  const quiet = tcp.quiet.has(stream);
  let attempt: Attempt;
  try {
    attempt = quiet
      ? openQuietAttempt(options)
      : openWatchedAttempt({
          ...options,
          onEnd: (handshake) => judge(tcp, flight, options, handshake, true),
        });
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return notRunOfErrno(error.code);
  }
  const flight: Flight = {
    stream,
    sentAt,
    deadlineAt: instant(sentAt + handshakeTimeoutMillis(task.timeoutMillis)),
    decided: false,
    lastLook: () => {
      const handshake = attempt.look();
      if (handshake !== null) judge(tcp, flight, options, handshake, false);
    },
    release: () => {
      tcp.waiting.delete(flight);
      attempt.close();
    },
  };
  tcp.waiting.add(flight);
  return flight;
}

type Options = Omit<AttemptOptions, 'onEnd'>;

/** `prompt`: the loop was told of the end when it happened, not some time later. */
function judge(tcp: Tcp, flight: Flight, options: Options, handshake: Handshake, prompt: boolean): void {
  switch (handshake.kind) {
    case 'established':
      tcp.quiet.add(flight.stream);
      judgeHandshake(tcp.deck, flight, handshake.rttMillis, handshake.retransmits);
      return;
    case 'refused':
      judgeRefusal(tcp, flight, prompt);
      return;
    case 'error':
      if (handshake.errno === 'ECONNRESET') judgeRefusal(tcp, flight, prompt);
      else judgeConnectionError(tcp.deck, flight, options, handshake.errno);
      return;
    default:
      unreachable(handshake);
  }
}

function judgeHandshake(deck: Deck, flight: Flight, rttMillis: number, retransmits: number): void {
  const late = rttMillis > flight.deadlineAt - flight.sentAt;
  if (late || retransmits > 0) deck.giveUp(flight);
  else deck.decide(flight, { kind: 'answered', rttMillis: millis(rttMillis) });
}

/** The kernel keeps no round trip of a refused connection, so one that was not seen at once has none to tell. */
function judgeRefusal({ deck, quiet }: Tcp, flight: Flight, prompt: boolean): void {
  quiet.delete(flight.stream);
  const now = deck.now();
  // Of an origin a refusal is the verdict, whenever it came.
  if (flight.stream.task.class === 'origin')
    deck.decide(flight, { kind: 'answered', rttMillis: millis(now - flight.sentAt), wrong: 'refused' });
  else if (!prompt || deck.laggedSince(flight.sentAt)) deck.decide(flight, notRun('loop-lag'));
  else deck.decide(flight, { kind: 'answered', rttMillis: millis(now - flight.sentAt) });
}
