/** Calls of the API, with the reader's token. */
import { token } from '../../../src/http/page/browser/remembered.ts';

export type Answer<T> =
  | { readonly kind: 'ok'; readonly body: T; readonly etag: string | null }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly problems: readonly string[];
    }
  | { readonly kind: 'no-answer' };

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** A text goes as YAML, everything else as JSON. */
  readonly body?: unknown;
  /** Number of the revision that a change is made from. */
  readonly match?: number;
}

const answerMillis = 20_000;

export function tokenHeader(): Readonly<Record<string, string>> {
  const kept = token.read();
  return kept === null ? {} : { authorization: `Bearer ${kept}` };
}

/** `T` is what the route answers: src/types/wire/geodns-answers.ts. A text that is no JSON comes as a string. */
export async function call<T>(path: string, { method = 'GET', body, match }: Call = {}): Promise<Answer<T>> {
  try {
    const response = await fetch(path, {
      method,
      cache: 'no-store',
      signal: AbortSignal.timeout(answerMillis),
      headers: {
        ...tokenHeader(),
        ...(match === undefined ? {} : { 'if-match': `"${match}"` }),
        ...(body === undefined
          ? {}
          : { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) return refusal(response.status, text);
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return { kind: 'ok', body: (isJson ? JSON.parse(text) : text) as T, etag: response.headers.get('etag') };
  } catch {
    return { kind: 'no-answer' };
  }
}

function refusal<T>(status: number, text: string): Answer<T> {
  try {
    const {
      code = '',
      detail = '',
      problems = [],
    } = JSON.parse(text) as Partial<Extract<Answer<T>, { kind: 'refused' }>>;
    return { kind: 'refused', status, code, detail, problems };
  } catch {
    return { kind: 'refused', status, code: '', detail: '', problems: [] };
  }
}
