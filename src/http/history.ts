/** `GET /v1/history?since=2h&limit=100&uplink=cmi&kind=decision`: what happened, oldest first. */
import type { HistoryReader } from '../types/history.ts';
import { queryOf } from '../types/history-query.ts';
import type { AddRoutes } from './access.ts';
import { problem, problemType } from './problem.ts';

/** The route. Askers wait for each other, so that many of them at once do not slow the tick. */
export function historyRoutes(history: HistoryReader): AddRoutes {
  return (server) => {
    let last: Promise<unknown> = Promise.resolve();
    server.get<{ Querystring: Record<string, unknown> }>('/v1/history', async (request, reply) => {
      const query = queryOf(request.query, Date.now());
      if (typeof query === 'string') return reply.code(400).type(problemType).send(problem(400, query));
      const turn = last.then(() => history.read(query));
      last = turn.catch(() => undefined);
      return reply.send({ schema: 1, entries: await turn });
    });
  };
}
