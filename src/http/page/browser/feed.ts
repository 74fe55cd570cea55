/**
 * Keeps the model up to date: the status every second and at each event, the series three times a second, the history by
 * server-sent events. Level-triggered: each answer is the whole truth of its moment, so nothing has to be caught up on but
 * the history, which is read again whenever the stream opens.
 */
import type { HistoryEntry } from '../../../types/wire/history.ts';
import type { SeriesAnswer } from '../../../types/wire/series.ts';
import type { StatusDocument } from '../../../types/wire/status.ts';
import { historyKinds } from './history-kinds.ts';
import type { Model } from './model.ts';
import { repeat } from './repeat.ts';
import { takeSeries } from './series-store.ts';

const statusMillis = 1000;
const seriesMillis = 300;
/** An event comes in the middle of a tick, and the status of that tick when it has ended: for a while it is asked for more often. */
const livelyMillis = 2000;
const livelyStatusMillis = 250;
const answerMillis = 5000;
const reopenMillis = 3000;
const mostEntries = 500;

export interface Feed {
  /** Asks for the status at once, such as after a command. */
  readonly refresh: () => void;
}

/** Starts it; `changed` is called after each change of the model. */
export function startFeed(model: Model, changed: () => void): Feed {
  const lively = { until: 0 };
  const pace = (): number => (Date.now() < lively.until ? livelyStatusMillis : statusMillis);
  const status = repeat(pace, async () => {
    const found = await ask<StatusDocument>('v1/status');
    model.isRefused = found === null;
    if (found !== null) {
      model.status = found;
      model.heardAt = Date.now();
    }
    changed();
  });
  const series = repeat(
    () => seriesMillis,
    async () => {
      const { next } = model.series;
      const found = await ask<SeriesAnswer>(`v1/series${next === null ? '' : `?since=${next}`}`);
      if (found === null) return;
      takeSeries(model.series, found);
      changed();
    },
  );
  followHistory(model, () => {
    lively.until = Date.now() + livelyMillis;
    status.now();
    changed();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    status.now();
    series.now();
  });
  return { refresh: status.now };
}

/** null: no answer, or not the one that was asked for. */
async function ask<T>(path: string): Promise<T | null> {
  try {
    const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(answerMillis) });
    if (!answer.ok) return null;
    const body: { readonly schema?: unknown } = await answer.json();
    return body.schema === 1 ? (body as T) : null;
  } catch {
    return null;
  }
}

function followHistory(model: Model, heard: () => void): void {
  const source = new EventSource('v1/events');
  const take = (entries: readonly HistoryEntry[]): void => {
    model.history = merged(model.history, entries);
    heard();
  };
  source.addEventListener('open', () => {
    void ask<{ readonly entries: readonly HistoryEntry[] }>('v1/history?since=24h&limit=300').then((found) =>
      take(found?.entries ?? []),
    );
  });
  for (const kind of historyKinds) {
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      const entry = entryOf(data);
      if (entry !== null) take([entry]);
    });
  }
  source.addEventListener('error', () => {
    // The browser opens it again by itself, but not after an answer such as 503.
    if (source.readyState !== EventSource.CLOSED) return;
    window.setTimeout(() => followHistory(model, heard), reopenMillis);
  });
}

function entryOf(data: string): HistoryEntry | null {
  try {
    const entry: { readonly kind?: unknown; readonly id?: unknown } = JSON.parse(data);
    return typeof entry.kind === 'string' && typeof entry.id === 'number' ? (entry as HistoryEntry) : null;
  } catch {
    return null;
  }
}

/** Newest first, each once. */
function merged(known: readonly HistoryEntry[], more: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const byId = new Map([...known, ...more].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => b.id - a.id).slice(0, mostEntries);
}
