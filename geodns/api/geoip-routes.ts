/** The GeoIP databases: what is in use, a refresh on demand, and the way back. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { DataParts } from '../data/parts.ts';
import { BusyError } from '../data/refresh-state.ts';
import type { Refresher } from '../data/refresher.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';

const refreshBody = z.object({
  accept: z
    .boolean()
    .default(false)
    .describe('Also when more users move than allowed, or the databases were taken back before'),
});

export function geoipRoutes(
  app: FastifyInstance,
  { service }: ApiParts,
  data: DataParts,
  guard: Guard,
): void {
  app.get('/v1/geoip', { schema: words.state }, (request) => {
    guard(request);
    if (data.refresher !== null) return { isRefreshed: true, ...data.refresher.state() };
    const databases = service.parts.databases.map(({ path, builtAt }) => ({
      path,
      builtAt: builtAt.toISOString(),
    }));
    return { isRefreshed: false, databases };
  });

  app.post('/v1/geoip/refresh', { schema: words.refresh }, (request, reply) => {
    const caller = guard(request, 'admin');
    const { accept } = readMessage(refreshBody, request.body ?? {});
    const refresher = of(data);
    unlessBusy(() => refresher.refresh(caller.name, accept));
    return reply.status(202).send(refresher.state());
  });

  app.post('/v1/geoip/rollback', { schema: words.rollback }, (request, reply) => {
    const caller = guard(request, 'admin');
    const refresher = of(data);
    if (!unlessBusy(() => refresher.rollBack(caller.name)))
      throw new Problem(404, 'nothing-to-do', 'there are no databases before the present ones');
    return reply.status(202).send(refresher.state());
  });
}

function of({ refresher }: DataParts): Refresher {
  if (refresher === null)
    throw new Problem(
      404,
      'not-configured',
      'databases are not refreshed here: there is no refresh in geodns.yaml',
    );
  return refresher;
}

function unlessBusy<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BusyError) throw new Problem(409, 'under-way', error.message);
    throw error;
  }
}

const words = {
  state: described({
    summary: 'The GeoIP databases in use, and the last refresh',
    tag: 'data',
    answer: json('`last`: what became of it, in sentences; `nextAt`: when the next one is due'),
    isCommand: true,
  }),
  refresh: described({
    summary: 'Fetch databases now and bring them to the sites, one after the other',
    description: 'Answers at once; `GET /v1/geoip` says how far it is.',
    tag: 'data',
    body: refreshBody,
    answer: json('202: begun'),
    problems: ['bad-message', 'not-configured', 'under-way'],
    isCommand: true,
  }),
  rollback: described({
    summary: 'Go back to the databases before, at all sites',
    tag: 'data',
    answer: json('202: begun'),
    problems: ['not-configured', 'nothing-to-do', 'under-way'],
    isCommand: true,
  }),
};
