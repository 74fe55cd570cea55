/** All that the views show. Changed in place by the feed and by the reader; views read it alone. */
import type { HistoryEntry } from '../../../types/wire/history.ts';
import type { StatusDocument } from '../../../types/wire/status.ts';
import { newSeriesStore, type SeriesStore } from './series-store.ts';
import { chosenLanguage, type Language } from './language.ts';

/** Which entries of the history are shown. */
export type Filter = 'decisions' | 'people' | 'all';

export interface Model {
  status: StatusDocument | null;
  /** Wall time in ms when the last status came; null: none did yet. */
  heardAt: number | null;
  /** Since the page was opened without any answer. */
  isRefused: boolean;
  /** Newest first. */
  history: readonly HistoryEntry[];
  readonly series: SeriesStore;
  language: Language;
  family: 4 | 6;
  minutes: number;
  filter: Filter;
  hasToken: boolean;
}

/** The daemon is silent for this long before the page says so. */
export const staleMillis = 3000;

export function newModel(hasToken: boolean): Model {
  return {
    status: null,
    heardAt: null,
    isRefused: false,
    history: [],
    series: newSeriesStore(),
    language: chosenLanguage(),
    family: 4,
    minutes: 15,
    filter: 'decisions',
    hasToken,
  };
}

/** `now` is wall time in ms. */
export function isStale({ heardAt, isRefused }: Model, now: number): boolean {
  return heardAt === null ? isRefused : now - heardAt > staleMillis;
}
