/** What people type to choose entries of the history, in a URL or on the command line. */
import type { HistoryQuery } from './history.ts';
import { type HistoryKind, historyEntry } from './wire/history.ts';

const usualLimit = 200;
const greatestLimit = 10_000;
const spanMillis: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const kinds: readonly HistoryKind[] = historyEntry.options.map((option) => option.shape.kind.value);
const keys = ['since', 'limit', 'uplink', 'kind'];

/** The query, or what is wrong with it, beginning with the key. `nowMillis` is wall time. */
export function queryOf(asked: Readonly<Record<string, unknown>>, nowMillis: number): HistoryQuery | string {
  const { since = '', limit = String(usualLimit), uplink = '', kind = '', ...others } = asked;
  const [strange] = Object.keys(others);
  if (strange !== undefined) return `${strange}: unknown; known are ${keys.join(', ')}`;
  const words = { since, limit, uplink, kind };
  const twice = Object.entries(words).find(([, value]) => typeof value !== 'string');
  if (twice !== undefined) return `${twice[0]}: only once`;
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > greatestLimit)
    return `limit: a whole number from 1 to ${greatestLimit}`;
  const sinceMillis = sinceOf(String(since), nowMillis);
  if (sinceMillis === null) return 'since: a time back such as 2h (s, min, h, d), or a time in ISO 8601';
  const known = kinds.find((one) => one === kind);
  if (kind !== '' && known === undefined) return `kind: one of ${kinds.join(', ')}`;
  return {
    limit: count,
    ...(sinceMillis === undefined ? {} : { sinceMillis }),
    ...(uplink === '' ? {} : { uplink: String(uplink) }),
    ...(known === undefined ? {} : { kind: known }),
  };
}

/** undefined: not asked; null: not a time. */
function sinceOf(text: string, nowMillis: number): number | null | undefined {
  if (text === '') return undefined;
  const [, count, unit] = /^(\d{1,6})(s|min|h|d)$/.exec(text) ?? [];
  if (count !== undefined) return nowMillis - Number(count) * (spanMillis[unit ?? ''] ?? 0);
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
