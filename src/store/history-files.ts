/** The history's entries as they lie in `paths.state`/history, for the daemon and for whoever reads without it. */
import type { HistoryQuery } from '../types/history.ts';
import { type HistoryEntry, historyEntry } from '../types/wire/history.ts';
import { readSegments } from './segments.ts';

/** In the state folder. */
export const historyFolder = 'history';
/** Names of the files begin with it. */
export const historyPrefix = 'history';

/** Newest first, those with an id below `beforeId`. Rejects where the folder cannot be read. */
export async function readHistoryFiles(
  folder: string,
  query: HistoryQuery,
  beforeId = Infinity,
): Promise<HistoryEntry[]> {
  const found: HistoryEntry[] = [];
  for await (const { entries } of readSegments(folder, historyPrefix)) {
    const known = entries.flatMap(readEntry);
    const wanted = known.filter((entry) => entry.id < beforeId && matches(entry, query));
    found.push(...wanted.reverse());
    if (found.length >= query.limit || (known.length > 0 && known.every((entry) => isBefore(entry, query))))
      break;
  }
  return found.slice(0, query.limit);
}

/** None for an entry of a kind that this version does not know. */
export function readEntry(value: unknown): readonly HistoryEntry[] {
  const parsed = historyEntry.safeParse(value);
  return parsed.success ? [parsed.data] : [];
}

/** Whether an entry is one of those asked for, but for the limit. */
export function matches(entry: HistoryEntry, query: HistoryQuery): boolean {
  if (isBefore(entry, query)) return false;
  if (query.kind !== undefined && entry.kind !== query.kind) return false;
  return query.uplink === undefined || isAbout(entry, query.uplink);
}

function isBefore(entry: HistoryEntry, { sinceMillis, afterId }: HistoryQuery): boolean {
  if (afterId !== undefined && entry.id <= afterId) return true;
  return sinceMillis !== undefined && Date.parse(entry.at) < sinceMillis;
}

/** By its own field, or by the name of the protocol or the subject: `announce_cmi_web4`, `cmi_web4`, `bgp_cmi4`. */
function isAbout(entry: HistoryEntry, uplink: string): boolean {
  if ('uplink' in entry) return entry.uplink === uplink;
  const named = 'protocol' in entry ? entry.protocol : 'subject' in entry ? entry.subject : '';
  return named.split(/[_ ]/).some((word) => word === uplink || word.replace(/[46]$/, '') === uplink);
}
