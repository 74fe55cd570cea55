/**
 * `GET /v1/events`: the history as it happens, as server-sent events (WHATWG HTML §9.2). The event's id is the entry's;
 * a client that comes back with `Last-Event-ID` gets what it missed first.
 */
import type { HistoryReader } from '../types/history.ts';
import { eventHeaders } from '../types/wire/answers.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { type EventStream, streamEvents } from './event-stream.ts';
import { openEnded, refuseQueued } from './open-ended.ts';
import { refuse, refuseBusy } from './refuse.ts';

const mostClients = 32;
const usuallyMissed = 10_000;
const mediaType = 'text/event-stream';

const words = described({
  summary: 'The history as it happens',
  description:
    'Server-sent events: `id` is the id of the entry, `event` its kind, `data` the entry as JSON. A comment comes every ten seconds. With `Last-Event-ID` what was missed comes first, at most 10,000 entries; `event: gap` says that there was more. Who lets a megabyte wait is cut off.',
  tag: 'history',
  headers: eventHeaders,
  answer: { kind: 'other', mediaType, says: 'A stream that does not end' },
  problems: ['busy'],
});

/** The route. `count` is told how many follow, whenever that changes; `mostMissed`: entries that a client gets which was away. */
export function eventRoutes(
  history: HistoryReader,
  count: (clients: number) => void = () => undefined,
  mostMissed = usuallyMissed,
): AddRoutes {
  return (server) => {
    const streams = new Set<EventStream>();
    const options = { schema: words, exposeHeadRoute: false, config: { produces: mediaType } };
    server.get('/v1/events', options, (request, reply) => {
      if (streams.size >= mostClients) return refuseBusy(reply, `${mostClients} clients follow already`);
      const lastId = lastIdOf(request.headers['last-event-id']);
      if (lastId === 'wrong') return refuse(reply, 400, 'Last-Event-ID: the id of an entry, a whole number');
      const queued = refuseQueued(reply);
      if (queued !== null) return queued;
      const raw = openEnded(reply, `${mediaType}; charset=utf-8`);
      const stream = streamEvents(history, raw, lastId, mostMissed);
      streams.add(stream);
      count(streams.size);
      raw.once('close', () => {
        stream.end();
        streams.delete(stream);
        count(streams.size);
      });
      return reply;
    });
    server.head(
      '/v1/events',
      { schema: { hide: true }, config: { produces: mediaType } },
      (_request, reply) => reply.type(`${mediaType}; charset=utf-8`).send(),
    );
  };
}

/** null: from now on. */
function lastIdOf(header: string | readonly string[] | undefined): number | null | 'wrong' {
  if (header === undefined || header === '') return null;
  return typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : 'wrong';
}
