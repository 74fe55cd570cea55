/** All that the views show. Changed in place by the feed and by the reader; views read it alone. */
import { chosenLanguage, type Language } from '../../../src/http/page/browser/language.ts';
import type {
  GeoDnsAnswers,
  GeoDnsDecision,
  GeoDnsEvent,
  GeoDnsMap,
  GeoDnsPreview,
  GeoDnsRevisions,
  GeoDnsSites,
  GeoDnsState,
  GeoDnsSteering,
} from '../../../src/types/wire/geodns-answers.ts';

/** An answer to something that the reader asked. */
export type Asked<T> =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'failed'; readonly text: string };

export interface Model {
  state: GeoDnsState | null;
  sites: GeoDnsSites | null;
  map: GeoDnsMap | null;
  answers: GeoDnsAnswers | null;
  revisions: GeoDnsRevisions | null;
  /** null: not asked yet, or there is none here. */
  steering: GeoDnsSteering | null;
  /** Newest first. */
  events: readonly GeoDnsEvent[];
  hasGap: boolean;
  /** Wall time in ms when the last state came; null: none did yet. */
  heardAt: number | null;
  /** Since the page was opened without any answer. */
  isRefused: boolean;
  /** The service knows the token; null: not asked yet. */
  isKnown: boolean | null;
  /** There is a token, and the service refuses it. */
  isTokenRefused: boolean;
  language: Language;
  /** Of the table; null: the first. */
  policy: string | null;
  family: 4 | 6;
  decision: Asked<GeoDnsDecision>;
  preview: Asked<GeoDnsPreview>;
}

/** The service is silent for this long before the page says so. */
const staleMillis = 5000;

export function newModel(): Model {
  return {
    state: null,
    sites: null,
    map: null,
    answers: null,
    revisions: null,
    steering: null,
    events: [],
    hasGap: false,
    heardAt: null,
    isRefused: false,
    isKnown: null,
    isTokenRefused: false,
    language: chosenLanguage(),
    policy: null,
    family: 4,
    decision: { kind: 'nothing' },
    preview: { kind: 'nothing' },
  };
}

/** `now` is wall time in ms. */
export function isStale({ heardAt, isRefused }: Model, now: number): boolean {
  return heardAt === null ? isRefused : now - heardAt > staleMillis;
}

/** The policy of the table. */
export function shownPolicy({ policy, map }: Model): string | null {
  return policy ?? map?.policies[0]?.name ?? null;
}
