/**
 * One HTTP/1.1 request, with TLS where the URL says https, from a device, source and fresh port of our own. The round
 * trip is the time to the first byte of the answer, handshakes included. Whatever answers shows the path, so a status
 * that is not right and a TLS failure are answers too, told as wrong: they are the target's matter. A reset or a refused
 * connection is an answer; silence, and a transfer that stops on the way, is a loss.
 */
import { type ClientRequest, request } from 'node:http';
import { type TLSSocket, connect as connectTls } from 'node:tls';
import type { HttpAsk } from '../src/types/outcome.ts';
import { instant, millis } from '../src/types/units.ts';
import { judgeConnectionError, type Place } from './connection-error.ts';
import { type Deck, type Flight, type NotRun, type ProbeKindEngine } from './flight.ts';
import { notRun, notRunOfErrno } from './flight.ts';
import { SystemCallError } from './socket/libc.ts';
import { type Connection, openConnection } from './socket/tcp-socket.ts';
import type { Stream } from './stream.ts';

/** All HTTP requests of this process. */
export function makeHttp(deck: Deck): ProbeKindEngine {
  const waiting = new Set<Flight>();
  return {
    prepare: () => {
      for (const flight of waiting) if (!flight.stream.planned) flight.release({ kind: 'lost' });
    },
    send: (stream) => {
      const { http } = stream.task;
      return http === undefined ? notRun('send-failed') : ask(deck, waiting, stream, http);
    },
    look: () => undefined,
    close: () => {
      for (const flight of waiting) flight.release({ kind: 'lost' });
    },
  };
}

function ask(deck: Deck, waiting: Set<Flight>, stream: Stream, http: HttpAsk): Flight | NotRun {
  const { task, wayOut } = stream;
  const sentAt = deck.now();
  const footing = wayOut.footing(sentAt, Number.POSITIVE_INFINITY);
  if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
  const { family, source, address, port } = task;
  const place: Place = { family, source, address, port, interface: task.interface, index: footing.index };
  let socket: Connection;
  try {
    socket = openConnection(place);
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
    return notRunOfErrno(error.code);
  }
  const flight: Flight = {
    stream,
    sentAt,
    deadlineAt: instant(sentAt + task.timeoutMillis),
    decided: false,
    // An answer comes by event, before time-outs are decided in the same turn.
    lastLook: () => undefined,
    release: () => {
      waiting.delete(flight);
      exchange.close();
    },
  };
  waiting.add(flight);
  const exchange = startExchange(socket, place, http, (end) => judge(deck, flight, place, end));
  return flight;
}

/** How an exchange ended. */
type End =
  | { readonly kind: 'status'; readonly status: number; readonly wrong: boolean }
  /** Of the handshake or the certificate; the code is Node's or OpenSSL's. */
  | { readonly kind: 'tls'; readonly code: string }
  | { readonly kind: 'error'; readonly errno: string };

interface Exchange {
  close(): void;
}

/** Tells its end once. After `close` nothing is told. */
function startExchange(socket: Connection, place: Place, http: HttpAsk, onEnd: (end: End) => void): Exchange {
  let over = false;
  const end = (how: End): void => {
    if (over) return;
    over = true;
    onEnd(how);
  };
  const phase: Phase = { connected: false, secured: !http.tls };
  socket.once('connect', () => {
    phase.connected = true;
  });
  const stream = http.tls ? secure(socket, place, http, phase) : socket;
  const sent = sendRequest(stream, place, http);
  const fail = (error: NodeJS.ErrnoException): void => end(endOf(error, phase));
  socket.on('error', fail);
  stream.on('error', fail);
  sent.on('error', fail);
  sent.once('response', (response) => {
    const status = response.statusCode ?? 0;
    const wrong = http.status === null ? status < 200 || status > 399 : status !== http.status;
    end({ kind: 'status', status, wrong });
  });
  return {
    close: () => {
      over = true;
      sent.destroy();
      stream.destroy();
      if (socket.connecting) socket.destroy();
      // A reset leaves no TIME_WAIT.
      else if (!socket.destroyed) socket.resetAndDestroy();
    },
  };
}

interface Phase {
  connected: boolean;
  secured: boolean;
}

function secure(socket: Connection, place: Place, { host }: HttpAsk, phase: Phase): TLSSocket {
  const name = host ?? place.address;
  const tls = connectTls({
    socket,
    // SNI carries names alone (RFC 6066 section 3); the certificate is checked against name or address.
    ...(isAddress(name) ? {} : { servername: name }),
    host: name,
    ALPNProtocols: ['http/1.1'],
  });
  tls.once('secureConnect', () => {
    phase.secured = true;
  });
  return tls;
}

function isAddress(name: string): boolean {
  return name.includes(':') || /^[\d.]+$/.test(name);
}

function sendRequest(stream: Connection, place: Place, { host, path, tls }: HttpAsk): ClientRequest {
  const bracketed = place.family === 6 ? `[${place.address}]` : place.address;
  const usual = tls ? 443 : 80;
  const port = place.port === usual ? '' : `:${place.port}`;
  const sent = request({
    // With `agent` set in any way Node ignores `createConnection` and connects by itself, by any uplink.
    createConnection: () => stream,
    method: 'GET',
    path,
    headers: { host: `${host ?? bracketed}${port}`, 'user-agent': 'causeway-probe', connection: 'close' },
  });
  sent.end();
  return sent;
}

function endOf(error: NodeJS.ErrnoException, { connected, secured }: Phase): End {
  const code = error.code ?? 'unknown';
  // EPROTO is what OpenSSL's complaints come as.
  const ofSystem = /^E[A-Z]+$/.test(code) && code !== 'EPROTO';
  if (connected && !secured && !ofSystem) return { kind: 'tls', code };
  return { kind: 'error', errno: connected && !ofSystem ? 'EPROTO' : code };
}

function judge(deck: Deck, flight: Flight, place: Place, end: End): void {
  if (flight.decided) return;
  // A reset, too, is somebody's answer; the time of it is not more than the time-out, whatever our loop did.
  const rttMillis = millis(Math.min(deck.now() - flight.sentAt, flight.stream.task.timeoutMillis));
  const answer = (wrong: string | null): void =>
    deck.decide(flight, { kind: 'answered', rttMillis, ...(wrong === null ? {} : { wrong }) });
  switch (end.kind) {
    case 'status':
      answer(end.wrong ? `status ${end.status}` : null);
      return;
    case 'tls':
      answer(`tls ${end.code}`);
      return;
    case 'error':
      judgeError(deck, flight, place, end.errno, answer);
  }
}

function judgeError(
  deck: Deck,
  flight: Flight,
  place: Place,
  errno: string,
  answer: (wrong: string) => void,
): void {
  switch (errno) {
    case 'ECONNREFUSED':
      answer('port closed');
      return;
    case 'ECONNRESET':
    case 'EPIPE':
      answer('reset');
      return;
    case 'EPROTO':
      answer('no HTTP');
      return;
    default:
      judgeConnectionError(deck, flight, place, errno);
  }
}
