/**
 * `GET /v1/series?since=15min`, or `since=` with the `next` of an earlier answer: outcomes and round trips of each second,
 * for charts.
 */
import { seriesAnswer, type SeriesAnswer, seriesParams, type SeriesTrack } from '../types/wire/series.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { nextTurn, oneByOne } from './one-by-one.ts';
import { refuse, refuseBusy } from './refuse.ts';

/** From a second of the monotonic clock on, or so many seconds back; null: all that is kept. */
export type SeriesStart =
  | { readonly kind: 'second'; readonly second: number }
  | { readonly kind: 'back'; readonly seconds: number }
  | { readonly kind: 'all' };

/** An answer whose tracks are made one after the other, so that a long one takes several turns of the event loop. */
export interface SeriesParts {
  readonly head: Omit<SeriesAnswer, 'series'>;
  readonly tracks: readonly (() => SeriesTrack)[];
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

const words = described({
  summary: 'What each second measured, for charts',
  description:
    'Outcomes and round trips of each second of the last hour, by the second of sending, for each uplink and family. `next` is what to ask for as `since` to go on; seconds that may still change come again. Beyond 24,000 points a point is several seconds: all outcomes, and the worst round trips.',
  tag: 'status',
  query: seriesParams,
  answer: { kind: 'json', schema: seriesAnswer, says: 'The seconds that were asked for' },
  problems: ['busy'],
});
/** Askers wait for each other, so that many of them at once do not slow the tick. */
const waitingAtMost = 16;

/** The route. */
export function seriesRoutes(read: (start: SeriesStart) => SeriesParts): AddRoutes {
  return (server) => {
    const turns = oneByOne(waitingAtMost);
    server.get<{ Querystring: Record<string, unknown> }>(
      '/v1/series',
      { schema: words },
      async (request, reply) => {
        const start = startOf(request.query);
        if (typeof start === 'string') return refuse(reply, 400, start);
        const turn = turns.run(() => textOf(read(start)));
        if (turn === null) return refuseBusy(reply, `${waitingAtMost} ask for the series already`);
        return reply.type('application/json; charset=utf-8').send(await turn);
      },
    );
  };
}

async function textOf({ head, tracks }: SeriesParts): Promise<string> {
  const pieces: string[] = [];
  for (const track of tracks) {
    pieces.push(JSON.stringify(track()));
    await nextTurn();
  }
  return `${JSON.stringify(head).slice(0, -1)},"series":[${pieces.join(',')}]}`;
}

function startOf(query: Readonly<Record<string, unknown>>): SeriesStart | string {
  const { since = '', ...others } = query;
  const [strange] = Object.keys(others);
  if (strange !== undefined) return `${strange}: unknown; known is since`;
  if (typeof since !== 'string') return 'since: only once';
  if (since === '') return { kind: 'all' };
  const [, count, unit] = /^(\d{1,12})(s|min|h)?$/.exec(since) ?? [];
  if (count === undefined)
    return 'since: a time back such as 15min (s, min, h), or the `next` of an earlier answer';
  return unit === undefined
    ? { kind: 'second', second: Number(count) }
    : { kind: 'back', seconds: Number(count) * (unitSeconds[unit] ?? 1) };
}
