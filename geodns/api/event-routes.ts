/**
 * `GET /v1/events`: what happened, as it happens, as server-sent events (WHATWG HTML §9.2); or, to who accepts JSON, the list.
 * Ids grow over restarts. A follower that comes back with `Last-Event-ID` gets what it missed; `event: gap` says that there
 * was more than is kept.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type EventStream, streamEvents } from '../../src/http/event-stream.ts';
import { openEnded } from '../../src/http/open-ended.ts';
import type { GeoDnsService } from '../service/service.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import type { RequestCounts } from './metrics.ts';
import { Problem } from './problem.ts';
import type { Guard } from './server.ts';

const mostFollowers = 32;
const eventsQuery = z.object({ since: z.coerce.number().int().min(0).optional() });
const lastEventId = z.coerce.number().int().min(0);

const words = described({
  summary: 'What happened, and what happens',
  description:
    'To `Accept: text/event-stream`: events as they come, after those that follow `Last-Event-ID` (or `since`). Else the list of those after `since`, oldest first.',
  tag: 'answers',
  query: eventsQuery,
  answer: json('The events after `since`, as far as they are kept (1,000)'),
  problems: ['busy'],
  isCommand: true,
});

export function eventRoutes(
  app: FastifyInstance,
  service: GeoDnsService,
  guard: Guard,
  counts: RequestCounts,
): void {
  const streams = new Set<EventStream>();
  const options = { schema: words, exposeHeadRoute: false, config: { produces: null } };
  app.get('/v1/events', options, (request, reply) => {
    guard(request);
    const { since } = readMessage(eventsQuery, request.query, 'bad-query');
    if (!(request.headers.accept ?? '').includes('text/event-stream'))
      return service.events.since(since ?? 0);
    if (streams.size >= mostFollowers) {
      reply.header('retry-after', '1');
      throw new Problem(503, 'busy', `${mostFollowers} follow already; try again later`);
    }
    const lastId = lastIdOf(request) ?? since ?? null;
    const stream = begin(service, reply, lastId);
    streams.add(stream);
    counts.followers = streams.size;
    reply.raw.once('close', () => {
      stream.end();
      streams.delete(stream);
      counts.followers = streams.size;
    });
    return reply;
  });
}

/** null: from now on. */
function lastIdOf({ headers }: FastifyRequest): number | null {
  const header = headers['last-event-id'];
  if (header === undefined || header === '') return null;
  const parsed = lastEventId.safeParse(header);
  if (!parsed.success)
    throw new Problem(400, 'bad-query', 'Last-Event-ID: the id of an event, a whole number');
  return parsed.data;
}

function begin(service: GeoDnsService, reply: FastifyReply, lastId: number | null): EventStream {
  if (reply.raw.socket === null)
    throw new Problem(400, 'bad-request', 'a stream wants a connection of its own: nothing before it');
  const { events } = service;
  const raw = openEnded(reply, 'text/event-stream; charset=utf-8');
  if (lastId !== null && events.hasForgotten(lastId)) {
    const first = events.since(lastId)[0]?.id ?? null;
    raw.write(`event: gap\ndata: ${JSON.stringify({ afterId: lastId, firstId: first })}\n\n`);
  }
  const source = {
    read: async ({ afterId, limit }: { readonly afterId: number; readonly limit: number }) =>
      events.since(afterId).slice(-limit),
    follow: events.follow.bind(events),
  };
  // All that are kept, and one more, so that the stream itself sees no gap.
  return streamEvents(source, raw, lastId, 1001, 'GeoDNS');
}
