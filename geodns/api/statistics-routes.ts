/** Statistics: what edges served, by access network, ASN and carrier; a day as JSON or CSV. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { edgeSummary } from '../../src/types/wire/edge-to-geodns.ts';
import type { DataParts } from '../data/parts.ts';
import { carrierOf } from '../statistics/carrier-of.ts';
import { dayOf } from '../statistics/day.ts';
import { csvOf, type Share, sharesOf } from '../statistics/shares.ts';
import { halvedText } from '../statistics/usual.ts';
import { described, json } from './described.ts';
import { readMessage } from './message.ts';
import { Problem } from './problem.ts';
import type { ApiParts, Guard } from './server.ts';

interface DayShares {
  readonly day: string;
  readonly shares: readonly Share[];
}

const dayQuery = z.object({
  day: z.iso.date().optional().describe('Of UTC, such as 2026-11-30; left out: today'),
});

export function statisticsRoutes(
  app: FastifyInstance,
  { service }: ApiParts,
  { statistics }: DataParts,
  guard: Guard,
): void {
  const now = (): number => service.parts.nowMillis();
  const sharesAt = async (query: unknown): Promise<DayShares> => {
    const { day = dayOf(now()) } = readMessage(dayQuery, query, 'bad-query');
    const found = await statistics.day(day, now());
    if (found === undefined) throw new Problem(404, 'unknown-day', `there are no statistics of ${day}`);
    return { day, shares: sharesOf(found) };
  };
  const asJson = async (query: unknown): Promise<unknown> => {
    const found = await sharesAt(query);
    return { ...found, days: await statistics.days(), halved: statistics.halved(now()).map(halvedText) };
  };
  const asCsv = async (query: unknown, reply: FastifyReply): Promise<FastifyReply> => {
    const { day, shares } = await sharesAt(query);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="causeway-${day}.csv"`)
      .send(csvOf(day, shares));
  };

  app.post('/v1/statistics', { schema: words.tell, bodyLimit: 1_048_576 }, (request, reply) => {
    const caller = guard(request);
    const summary = readMessage(edgeSummary, request.body);
    if (caller.role === 'reader' || (caller.role !== 'admin' && caller.node !== summary.node))
      throw new Problem(403, 'token-refused', `${caller.name} may not tell of ${summary.node}`);
    const view = service.view();
    const { networks } = service.parts;
    const known = new Map<string, string | null>();
    const carrier = (network: string): string | null => {
      const found = known.get(network) ?? carrierOf(view, networks, summary.node, network);
      known.set(network, found);
      return found;
    };
    const entered = statistics.enter(summary, carrier, now());
    if (entered === 'away')
      throw new Problem(
        400,
        'bad-message',
        'at: is more than ten minutes from our time; mend one of the clocks',
      );
    return reply.status(entered === 'counted' ? 202 : 200).send({ counted: entered === 'counted' });
  });

  app.get('/v1/statistics', { schema: words.day }, (request) => {
    guard(request);
    return asJson(request.query);
  });
  app.get('/v1/statistics.csv', { schema: words.csv, config: { produces: 'text/csv' } }, (request, reply) => {
    guard(request);
    return asCsv(request.query, reply);
  });
}

const words = {
  tell: described({
    summary: 'What an edge served since its last message',
    description:
      'With the token of an edge, or of its node. What comes with the same time again is not counted again.',
    tag: 'data',
    body: edgeSummary,
    answer: json('200: it was counted before; 202: it is counted now'),
    problems: ['bad-message', 'too-large'],
    isCommand: true,
  }),
  day: described({
    summary: 'Shares of a day by access network, ASN and carrier',
    tag: 'data',
    query: dayQuery,
    answer: json('The greatest share first; `halved`: who has lost half of its usual share now'),
    problems: ['unknown-day'],
    isCommand: true,
  }),
  csv: described({
    summary: 'The same as CSV',
    tag: 'data',
    query: dayQuery,
    answer: { kind: 'other', mediaType: 'text/csv', says: 'RFC 4180, with a head' },
    problems: ['unknown-day'],
    isCommand: true,
  }),
};
