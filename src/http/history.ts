/** `GET /v1/history?since=2h&limit=100&uplink=cmi&kind=decision`: what happened, oldest first. */
import type { HistoryReader } from '../types/history.ts';
import { queryOf } from '../types/history-query.ts';
import { historyParams } from '../types/wire/answers.ts';
import { historyAnswer, type HistoryEntry } from '../types/wire/history.ts';
import type { AddRoutes } from './access.ts';
import { described } from './described.ts';
import { hasAlready } from './negotiate.ts';
import { nextTurn, oneByOne } from './one-by-one.ts';
import { refuse, refuseBusy } from './refuse.ts';

/** Askers wait for each other, so that many of them at once do not slow the tick. */
const waitingAtMost = 16;
/** So many entries become JSON in one turn of the event loop: some milliseconds. */
const entriesInATurn = 250;

const words = described({
  summary: 'What happened, oldest first',
  tag: 'history',
  query: historyParams,
  answer: { kind: 'json', schema: historyAnswer, says: 'Entries, the newest of those that were asked for' },
  problems: ['busy'],
});

/** The route. */
export function historyRoutes(history: HistoryReader): AddRoutes {
  return (server) => {
    const turns = oneByOne(waitingAtMost);
    server.get<{ Querystring: Record<string, unknown> }>(
      '/v1/history',
      { schema: words },
      async (request, reply) => {
        const query = queryOf(request.query, Date.now());
        if (typeof query === 'string') return refuse(reply, 400, query);
        const turn = turns.run(async () => {
          const entries = await history.read(query);
          const etag = etagOf(entries);
          return { etag, bytes: isKnown(etag) ? null : await bytesOf(entries) };
        });
        if (turn === null) return refuseBusy(reply, `${waitingAtMost} ask for the history already`);
        const { etag, bytes } = await turn;
        reply.headers({ etag, 'cache-control': 'no-cache' });
        if (bytes === null) return reply.code(304).send();
        return reply.type('application/json; charset=utf-8').send(bytes);

        function isKnown(tag: string): boolean {
          return hasAlready(request.headers['if-none-match'], tag);
        }
      },
    );
  };
}

/** Entries never change, and their ids grow: the first, the last and their number stand for all of one question. */
function etagOf(entries: readonly HistoryEntry[]): string {
  return `W/"${entries[0]?.id ?? 0}-${entries.at(-1)?.id ?? 0}-${entries.length}"`;
}

/** A long list takes several turns of the event loop. */
async function bytesOf(entries: readonly HistoryEntry[]): Promise<Buffer> {
  const pieces: string[] = [];
  for (let from = 0; from < entries.length; from += entriesInATurn) {
    if (from > 0) await nextTurn();
    const some = entries.slice(from, from + entriesInATurn);
    pieces.push(some.map((entry) => JSON.stringify(entry)).join(','));
  }
  return Buffer.from(`{"schema":1,"entries":[${pieces.join(',')}]}`);
}
