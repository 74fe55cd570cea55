/**
 * `GET /v1/events`: the history as it happens, as server-sent events (WHATWG HTML §9.2). The event's id is the entry's;
 * a client that comes back with `Last-Event-ID` gets what it missed first.
 */
import type { FastifyReply } from 'fastify';
import type { HistoryReader } from '../types/history.ts';
import type { HistoryEntry } from '../types/wire/history.ts';
import type { AddRoutes } from './access.ts';
import { openEnded } from './open-ended.ts';
import { problem, problemType } from './problem.ts';

/** The server closes what is silent for half a minute, and so do proxies. */
const heartbeatMillis = 10_000;
/** A client that lets this much wait is cut off; it comes back by its Last-Event-ID. */
const mostWaitingBytes = 1024 * 1024;
const mostClients = 32;
/** What a client that was away gets at most. */
const mostMissed = 10_000;

/** The route. */
export function eventRoutes(history: HistoryReader): AddRoutes {
  return (server) => {
    let clients = 0;
    server.get('/v1/events', async (request, reply) => {
      if (clients >= mostClients)
        return reply
          .code(503)
          .type(problemType)
          .send(problem(503, `${mostClients} clients follow already`));
      clients += 1;
      const raw = openEnded(reply, 'text/event-stream; charset=utf-8');
      raw.write(': the history of this node\n\n');
      const following = follow(history, raw, lastIdOf(request.headers['last-event-id']));
      raw.once('close', () => {
        clients -= 1;
        following.end();
      });
      await following.caughtUp;
      return reply;
    });
  };
}

/** null: from now on. */
function lastIdOf(header: string | readonly string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : null;
}

/** Follows at once and reads beside it what was missed, so that nothing falls between the two. */
function follow(
  history: HistoryReader,
  raw: FastifyReply['raw'],
  lastId: number | null,
): { readonly caughtUp: Promise<void>; readonly end: () => void } {
  let held: HistoryEntry[] | null = [];
  let sent = lastId ?? 0;
  const send = (entry: HistoryEntry): void => {
    if (entry.id <= sent || raw.destroyed) return;
    sent = entry.id;
    raw.write(`id: ${entry.id}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`);
    if (raw.writableLength > mostWaitingBytes) raw.destroy();
  };
  const unfollow = history.follow((entry) => {
    if (held === null) send(entry);
    else held.push(entry);
  });
  const heartbeat = setInterval(() => raw.write(':\n\n'), heartbeatMillis);
  const catchUp = async (): Promise<void> => {
    const missed = lastId === null ? [] : await history.read({ afterId: lastId, limit: mostMissed });
    for (const entry of [...missed, ...(held ?? [])]) send(entry);
    held = null;
  };
  return {
    caughtUp: catchUp(),
    end() {
      unfollow();
      clearInterval(heartbeat);
    },
  };
}
