/**
 * One client that follows what happens. What it missed is sent piece by piece, at the pace in which it takes it; what
 * happens meanwhile waits behind that. A client that lets too much wait is cut off: it comes back by its Last-Event-ID.
 */
import type { FastifyReply } from 'fastify';
import { nextTurn } from './one-by-one.ts';

type Raw = FastifyReply['raw'];

export interface EventStream {
  end(): void;
}

/** What a stream sends of an entry: its id, its kind, and all of it as JSON. */
export interface StreamedEntry {
  readonly id: number;
  readonly kind: string;
}

/** Where the entries come from; ids grow. */
export interface EntrySource<T extends StreamedEntry> {
  /** The newest `limit` of those with a greater id, oldest first. */
  read(query: { readonly afterId: number; readonly limit: number }): Promise<readonly T[]>;
  follow(listener: (entry: T) => void): () => void;
}

/** The server closes what is silent for half a minute, and so do proxies. */
const heartbeatMillis = 10_000;
const mostWaitingBytes = 1024 * 1024;
const entriesInATurn = 100;

/** Of each entry that somebody follows: all of them are sent the same. */
const texts = new WeakMap<StreamedEntry, string>();

/**
 * Follows at once and reads beside it what was missed, so that nothing falls between the two. `lastId` null: from now on.
 * `mostMissed`: what a client that was away gets at most, and what may happen while it gets it. `of`: whose history it is.
 */
export function streamEvents<T extends StreamedEntry>(
  history: EntrySource<T>,
  raw: Raw,
  lastId: number | null,
  mostMissed: number,
  of = 'this node',
): EventStream {
  const held: T[] = [];
  let isCaughtUp = lastId === null;
  let sent = lastId ?? 0;
  const send = (entry: T): void => {
    if (entry.id <= sent || raw.destroyed) return;
    sent = entry.id;
    raw.write(textOf(entry));
    if (raw.writableLength > mostWaitingBytes) raw.destroy();
  };
  const unfollow = history.follow((entry) => {
    if (isCaughtUp) send(entry);
    else if (held.push(entry) > mostMissed) raw.destroy();
  });
  const heartbeat = setInterval(() => raw.write(':\n\n'), heartbeatMillis);
  raw.write(`: the history of ${of}\n\n`);

  async function catchUp(afterId: number): Promise<void> {
    const missed = await history.read({ afterId, limit: mostMissed });
    if (missed.length === mostMissed) raw.write(gapText(afterId, missed[0]));
    await sendSlowly(missed, raw, send);
    // None comes between the last of these and the first that is sent at once.
    for (const entry of held.splice(0)) send(entry);
    isCaughtUp = true;
  }

  if (lastId !== null) catchUp(lastId).catch(() => raw.destroy());
  return {
    end() {
      unfollow();
      clearInterval(heartbeat);
      held.length = 0;
    },
  };
}

/** Some in each turn of the event loop, and none while the client does not take them. */
async function sendSlowly<T>(entries: readonly T[], raw: Raw, send: (entry: T) => void): Promise<void> {
  for (let from = 0; from < entries.length && !raw.destroyed; from += entriesInATurn) {
    if (from > 0) await nextTurn();
    for (const entry of entries.slice(from, from + entriesInATurn)) send(entry);
    if (raw.writableNeedDrain) await drained(raw);
  }
}

function drained(raw: Raw): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off('drain', done);
      raw.off('close', done);
      resolve();
    };
    raw.on('drain', done);
    raw.on('close', done);
  });
}

function textOf(entry: StreamedEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = `id: ${entry.id}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`;
  texts.set(entry, text);
  return text;
}

/** Without an id: it is no place to go on from. */
function gapText(afterId: number, first: StreamedEntry | undefined): string {
  return `event: gap\ndata: ${JSON.stringify({ afterId, firstId: first?.id ?? null })}\n\n`;
}
